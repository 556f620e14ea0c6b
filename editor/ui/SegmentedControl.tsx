import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import type { LucideIcon } from 'lucide-react';

interface SegmentedControlProps<T extends string> {
  value: NoInfer<T>;
  onValueChange(value: NoInfer<T>): void;
  options: readonly {
    readonly value: T;
    readonly label: string;
    readonly icon?: LucideIcon;
    readonly disabled?: boolean;
  }[];
  label: string;
}

/** Two to four choices side by side, one of them chosen. */
export function SegmentedControl<T extends string>(props: SegmentedControlProps<T>) {
  const { value, onValueChange, options, label } = props;
  return (
    <ToggleGroup
      aria-label={label}
      value={[value]}
      onValueChange={([next]) => next !== undefined && onValueChange(next)}
      className="inline-flex h-7 shrink-0 items-center rounded-md bg-surface-3 p-0.5"
    >
      {options.map(({ icon: Icon, ...option }) => (
        <Toggle
          key={option.value}
          value={option.value}
          disabled={option.disabled ?? false}
          className="inline-flex h-6 cursor-default items-center gap-1 rounded px-2 text-xs font-medium text-text-2 hover:text-text data-pressed:bg-surface data-pressed:text-text data-pressed:shadow-sm data-disabled:opacity-50"
        >
          {Icon && <Icon aria-hidden className="size-3.5" />}
          {option.label}
        </Toggle>
      ))}
    </ToggleGroup>
  );
}
