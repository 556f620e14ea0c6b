import { Switch as Base } from '@base-ui/react/switch';
import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Check } from 'lucide-react';

interface ToggleProps {
  checked: boolean;
  onCheckedChange(checked: boolean): void;
  /** For a switch outside a `Field`. */
  label?: string;
  disabled?: boolean;
}

/** On or off, with immediate effect. */
export function Switch({ checked, onCheckedChange, label, disabled }: ToggleProps) {
  return (
    <Base.Root
      checked={checked}
      onCheckedChange={onCheckedChange}
      disabled={disabled ?? false}
      aria-label={label}
      className="inline-flex h-6 w-9 shrink-0 items-center rounded-full border border-transparent bg-line-strong bg-clip-content py-0.5 transition-colors data-checked:bg-accent data-disabled:opacity-50"
    >
      <Base.Thumb className="ml-0.5 size-3.5 rounded-full bg-surface transition-transform data-checked:translate-x-4" />
    </Base.Root>
  );
}

export function Checkbox({ checked, onCheckedChange, label, disabled }: ToggleProps) {
  return (
    <BaseCheckbox.Root
      checked={checked}
      onCheckedChange={onCheckedChange}
      disabled={disabled ?? false}
      aria-label={label}
      className="relative flex size-4.5 shrink-0 pointer-coarse:after:absolute pointer-coarse:after:-inset-2 items-center justify-center rounded border border-line-strong bg-surface text-accent-text data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
    >
      <BaseCheckbox.Indicator>
        <Check aria-hidden className="size-3.5" />
      </BaseCheckbox.Indicator>
    </BaseCheckbox.Root>
  );
}
