import { Button as BaseButton } from '@base-ui/react/button';
import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { ariaKeys } from './keys.ts';
import { cx } from './cx.ts';
import { tapArea } from './styles.ts';
import { Tooltip } from './Tooltip.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'children'> {
  icon: LucideIcon;
  /** The action of the button; read out, and shown on hover. */
  label: string;
  /** Its shortcuts; the first one is shown. */
  keys?: readonly string[] | undefined;
  /** Shown in place of the label if the button is disabled: why. */
  reason?: string | undefined;
  /** For a button that turns something on and off: whether it is on. */
  pressed?: boolean | undefined;
  size?: 'sm' | 'md' | undefined;
  side?: 'top' | 'bottom' | 'left' | 'right' | undefined;
  tone?: 'bad' | undefined;
  className?: string | undefined;
}

/** A button with only an icon. */
export function IconButton({
  icon: Icon,
  label,
  keys,
  reason,
  pressed,
  size = 'md',
  side,
  tone,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip text={reason ?? label} keys={reason ? undefined : keys?.[0]} side={side}>
      <BaseButton
        focusableWhenDisabled
        aria-label={label}
        aria-pressed={pressed}
        aria-keyshortcuts={ariaKeys(keys)}
        className={cx(
          'inline-flex shrink-0 cursor-default items-center justify-center rounded-md',
          'hover:bg-surface-3 data-disabled:opacity-40 data-disabled:hover:bg-transparent data-popup-open:bg-surface-3',
          tone === 'bad' ? 'text-bad' : 'text-text-2 hover:text-text aria-pressed:text-text',
          'aria-pressed:bg-surface-3',
          size === 'md' ? 'size-8' : 'size-6',
          tapArea,
          className,
        )}
        {...rest}
      >
        <Icon aria-hidden className={cx('shrink-0', size === 'md' ? 'size-4.5' : 'size-4')} />
      </BaseButton>
    </Tooltip>
  );
}
