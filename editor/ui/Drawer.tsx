import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';
import { cx } from './cx.ts';

export interface DrawerProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  side: 'left' | 'right' | 'bottom';
  title: string;
  children: ReactNode;
}

const SIDES = {
  left: 'inset-y-0 left-0 w-72 max-w-[92vw] border-r',
  right: 'inset-y-0 right-0 w-90 max-w-[92vw] border-l',
  bottom: 'inset-x-0 bottom-0 h-[85dvh] rounded-t-xl border-t',
} as const;

/** A panel that slides over the page on small screens; Escape and a click beside it close it. */
export function Drawer({ open, onOpenChange, side, title, children }: DrawerProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-black/30" />
        <Base.Popup
          ref={popup}
          // A sheet of a phone is read first: a field with the focus would bring the keyboard up over it.
          initialFocus={side === 'bottom' ? popup : undefined}
          className={cx(
            'fixed z-30 flex flex-col border-line bg-surface shadow-(--shadow) outline-hidden',
            SIDES[side],
          )}
        >
          <Base.Title className="sr-only">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
