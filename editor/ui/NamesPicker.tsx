import { X } from 'lucide-react';
import { useRef } from 'react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { IconButton } from './IconButton.tsx';
import { type Named, NamePicker } from './NamePicker.tsx';

interface NamesPickerProps {
  id?: string | undefined;
  describedBy?: string | undefined;
  label: string;
  /** The noun for one of them, without an article: `flow`. */
  noun: string;
  /** The chosen ids, in their order. */
  values: readonly string[];
  names: readonly Named[];
  isLoading?: boolean;
  isFree?: boolean;
  /** Shown while nothing is chosen. */
  placeholder?: string | undefined;
  onChange(values: readonly string[]): void;
  onNew?: ((wanted: string) => void) | undefined;
}

/** Several of the things that have a name: each chosen one can be taken away, and a picker adds another. */
export function NamesPicker({ values, names, onChange, placeholder, ...picker }: NamesPickerProps) {
  const { noun } = picker;
  const box = useRef<HTMLDivElement>(null);
  const remove = (value: string): void => {
    // Its button goes too, and the focus would be lost with it.
    box.current?.querySelector<HTMLElement>('button[role="combobox"]')?.focus();
    onChange(values.filter((one) => one !== value));
  };
  return (
    <div ref={box} className="flex min-w-0 flex-col gap-1.5">
      {values.length > 0 && (
        <ul aria-label={`Chosen ${picker.label.toLowerCase()}`} className="flex flex-wrap gap-1">
          {values.map((value) => (
            <Chosen
              key={value}
              value={value}
              title={names.find(({ id }) => id === value)?.title ?? value}
              onRemove={() => remove(value)}
            />
          ))}
        </ul>
      )}
      <NamePicker
        {...picker}
        value={undefined}
        names={names.filter(({ id }) => !values.includes(id))}
        placeholder={values.length === 0 && placeholder ? placeholder : `Add ${articled(noun)}…`}
        onChange={(id) => !values.includes(id) && onChange([...values, id])}
      />
    </div>
  );
}

function Chosen({ value, title, onRemove }: { value: string; title: string; onRemove(): void }) {
  return (
    <li className="flex max-w-full items-center gap-1 rounded-md border border-line bg-surface-2 pl-2 text-xs">
      <bdi className="min-w-0 truncate" translate="no">
        {withoutDirectionMarks(title)}
      </bdi>
      {title !== value && (
        <code className="min-w-0 truncate font-mono text-[11px] text-text-2" translate="no">
          {value}
        </code>
      )}
      <IconButton size="sm" icon={X} label={`Remove ${title}`} onClick={onRemove} />
    </li>
  );
}

function articled(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
