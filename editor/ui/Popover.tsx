import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './cx.ts';
import { popupBox } from './styles.ts';

interface PopoverProps {
  trigger: ReactElement;
  /** Read out when it opens. */
  label: string;
  open?: boolean;
  onOpenChange?(open: boolean): void;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom' | 'left' | 'right';
  children: ReactNode;
  className?: string;
}

/** A small box with content, anchored to its button. */
export function Popover(props: PopoverProps) {
  const { trigger, label, open, onOpenChange, align = 'start', side = 'bottom', children, className } = props;
  return (
    <Base.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 outline-hidden"
        >
          <Base.Popup aria-label={label} className={cx(popupBox, 'max-w-100 p-3', className)}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
