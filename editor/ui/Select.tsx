import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown, type LucideIcon } from 'lucide-react';
import { cx } from './cx.ts';
import { fieldBox, listItem, popupBox } from './styles.ts';

export interface SelectOption<T extends string> {
  readonly value: T;
  readonly label: string;
  /** A second line in the list. */
  readonly hint?: string | undefined;
  readonly icon?: LucideIcon | undefined;
  readonly disabled?: boolean;
}

interface SelectProps<T extends string> {
  value: NoInfer<T> | undefined;
  onValueChange(value: NoInfer<T>): void;
  options: readonly SelectOption<T>[];
  /** For a select outside a `Field`. */
  label?: string;
  placeholder?: string;
  disabled?: boolean;
  size?: 'sm' | 'md';
  /** The options are names or values, which nobody translates. */
  isData?: boolean;
  className?: string;
}

/** One of a few options; for long lists use a combobox. */
export function Select<T extends string>(props: SelectProps<T>) {
  const {
    value,
    onValueChange,
    options,
    label,
    placeholder,
    disabled,
    size = 'md',
    isData,
    className,
  } = props;
  return (
    <Base.Root
      items={options}
      value={value ?? null}
      onValueChange={(next) => next !== null && onValueChange(next)}
      disabled={disabled ?? false}
    >
      <Base.Trigger
        aria-label={label}
        className={cx(
          fieldBox,
          'flex items-center gap-1.5 text-left data-disabled:opacity-60',
          size === 'md' ? 'h-7' : 'h-6 text-xs',
          className,
        )}
      >
        <Base.Value
          placeholder={placeholder ?? 'Choose…'}
          translate={isData ? 'no' : undefined}
          className="min-w-0 flex-1 truncate"
        />
        <Base.Icon className="text-text-2">
          <ChevronsUpDown aria-hidden className="size-3.5" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          sideOffset={4}
          collisionPadding={8}
          alignItemWithTrigger={false}
          className="z-50 outline-hidden"
        >
          <Base.Popup
            className={cx(
              popupBox,
              'max-h-[min(20rem,var(--available-height))] min-w-(--anchor-width) overflow-y-auto p-1',
            )}
          >
            <Options options={options} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function Options<T extends string>({ options }: Pick<SelectProps<T>, 'options'>) {
  return options.map(({ icon: Icon, ...option }) => (
    <Base.Item
      key={option.value}
      value={option.value}
      disabled={option.disabled ?? false}
      className={cx(listItem, 'pr-7')}
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      <div className="min-w-0 flex-1">
        <Base.ItemText>{option.label}</Base.ItemText>
        {option.hint && <div className="max-w-72 text-xs text-text-2">{option.hint}</div>}
      </div>
      <Base.ItemIndicator className="-mr-5 text-accent">
        <Check aria-hidden className="size-4" />
      </Base.ItemIndicator>
    </Base.Item>
  ));
}
