import { Button as BaseButton } from '@base-ui/react/button';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cx } from './cx.ts';
import { Spinner } from './Spinner.tsx';
import { tapArea } from './styles.ts';

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'className'> {
  variant?: Variant | undefined;
  size?: 'sm' | 'md' | undefined;
  icon?: LucideIcon | undefined;
  /** Shows that it is working and ignores further clicks. */
  busy?: boolean | undefined;
  className?: string | undefined;
}

const VARIANTS: Readonly<Record<Variant, string>> = {
  primary: 'bg-accent text-accent-text hover:brightness-110',
  secondary: 'border border-line-strong/60 bg-surface hover:bg-surface-3',
  ghost: 'hover:bg-surface-3',
  danger: 'bg-bad-soft text-bad hover:brightness-95',
};

/** A button with a text. At most one `primary` per view. */
export function Button({
  variant = 'secondary',
  size = 'md',
  icon: Icon,
  busy = false,
  disabled,
  className,
  children,
  ...rest
}: ButtonProps) {
  const shape = size === 'md' ? 'h-8 px-3' : 'h-6 px-2 text-xs';
  return (
    <BaseButton
      focusableWhenDisabled
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={cx(
        'inline-flex shrink-0 cursor-default items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none',
        'data-disabled:opacity-50 data-disabled:hover:brightness-100',
        shape,
        tapArea,
        VARIANTS[variant],
        className,
      )}
      {...rest}
    >
      {busy ? <Spinner /> : Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      {children}
    </BaseButton>
  );
}
