import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import { Kbd } from './Kbd.tsx';

interface TooltipProps {
  text: ReactNode;
  keys?: string | undefined;
  side?: 'top' | 'bottom' | 'left' | 'right' | undefined;
  /** One element that accepts a ref: the explained element. Give it its own label, since a tooltip is not one. */
  children: ReactElement;
}

/** A short text on hover and focus. All tooltips share delays (`TooltipProvider` in App). */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} collisionPadding={8} className="z-60">
          <Base.Popup className="flex max-w-72 items-center gap-2 rounded-md bg-text px-2 py-1 text-xs text-surface shadow-(--shadow) data-starting-style:opacity-0">
            <span>{text}</span>
            {keys && <Kbd keys={keys} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export const TooltipProvider = Base.Provider;
