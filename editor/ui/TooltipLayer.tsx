import { Tooltip as Base } from '@base-ui/react/tooltip';
import { useState } from 'react';
import { useStore } from 'zustand';
import { Kbd } from './Kbd.tsx';
import { hide, hideSoon, keep, tooltip } from './tooltip-store.ts';

/** Shows the tooltip of the page; see `Tooltip`. */
export function TooltipLayer() {
  const shown = useStore(tooltip, (s) => s.shown);
  const [last, setLast] = useState(shown);
  // While it fades out it keeps its text.
  if (shown && shown !== last) setLast(shown);
  const { anchor, tip } = shown ?? last ?? {};
  return (
    <Base.Root open={shown !== undefined} onOpenChange={(isOpen) => !isOpen && hide()}>
      <Base.Portal>
        <Base.Positioner
          anchor={anchor ?? null}
          side={tip?.side ?? 'bottom'}
          sideOffset={6}
          collisionPadding={8}
          className="z-60"
        >
          <Base.Popup
            onPointerEnter={keep}
            onPointerLeave={hideSoon}
            className="flex max-w-72 items-center gap-2 rounded-md bg-text px-2 py-1 text-xs text-surface shadow-(--shadow) data-starting-style:opacity-0"
          >
            <span>{tip?.text}</span>
            {tip?.keys && <Kbd keys={tip.keys} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
