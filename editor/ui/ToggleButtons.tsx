import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import { cx } from './cx.ts';

interface ToggleButtonsProps {
  /** Name for screen readers; not needed inside an element that has a name already. */
  label?: string;
  options: readonly { readonly value: string; readonly label: string; readonly short?: string }[];
  chosen: readonly string[];
  onChange(chosen: string[]): void;
  /** The buttons share the width. */
  fill?: boolean;
}

/** Any number of a few choices. One Tab stop; arrow keys move from one to the next. */
export function ToggleButtons({ label, options, chosen, onChange, fill = false }: ToggleButtonsProps) {
  return (
    <ToggleGroup
      multiple
      aria-label={label}
      value={chosen}
      onValueChange={onChange}
      className={cx('flex gap-1', !fill && 'flex-wrap')}
    >
      {options.map(({ value, label: name, short }) => (
        <Toggle
          key={value}
          value={value}
          aria-label={short === undefined ? undefined : name}
          // What stands as it is in the flow, such as GET, is not translated.
          translate={name === value ? 'no' : undefined}
          className={cx(
            'inline-flex h-6 cursor-default items-center justify-center rounded-md border border-line-strong/60 text-xs font-medium text-text-2',
            'hover:border-line-strong hover:text-text data-pressed:border-accent data-pressed:bg-accent-soft data-pressed:text-accent',
            fill ? 'min-w-0 flex-1' : 'px-2',
          )}
        >
          {short ?? name}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
