import { Autocomplete as Base } from '@base-ui/react/autocomplete';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { fieldBox, listItem, popupBox } from './styles.ts';

interface SuggestInputProps extends Pick<ComponentProps<'input'>, 'id' | 'aria-label' | 'aria-describedby'> {
  value: string;
  onValueChange(value: string): void;
  /** Suggestions; any other text is allowed too. */
  options: readonly string[];
  placeholder?: string | undefined;
  invalid?: boolean;
}

/** One line of text with suggestions. Loaded on demand. */
export default function SuggestInput(props: SuggestInputProps) {
  const { value, onValueChange, options, invalid, ...rest } = props;
  return (
    <Base.Root
      items={options}
      value={value}
      // Escape leaves the field, as it leaves every other one; it empties none.
      onValueChange={(next, { reason }) => reason !== 'escape-key' && onValueChange(next)}
      openOnInputClick
    >
      <Base.Input
        autoComplete="off"
        spellCheck={false}
        aria-invalid={invalid || undefined}
        data-invalid={invalid ? '' : undefined}
        className={cx(fieldBox, 'h-7 font-mono text-xs')}
        {...rest}
      />
      <Base.Portal>
        <Base.Positioner sideOffset={4} collisionPadding={8} className="z-50 outline-hidden">
          <Base.Popup
            className={cx(
              popupBox,
              'max-h-[min(20rem,var(--available-height))] min-w-(--anchor-width) overflow-y-auto data-empty:hidden',
            )}
          >
            <Base.List className="p-1 empty:hidden">
              {(option: string) => (
                <Base.Item key={option} value={option} className={cx(listItem, 'font-mono text-xs')}>
                  {option}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
