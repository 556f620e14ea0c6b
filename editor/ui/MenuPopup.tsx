import { Menu as Base } from '@base-ui/react/menu';
import { type RefObject, useRef } from 'react';
import type { MenuEntry } from './menu-entry.ts';
import { MenuEntries, menuPopup } from './MenuEntries.tsx';

/** How a menu was opened: with the keyboard it starts at an end of the list, with a pointer at none. */
export type OpenedBy = 'pointer' | 'first' | 'last';

export interface MenuPopupProps {
  /** Where it stands: the button of the menu, or a place. */
  anchor: RefObject<HTMLButtonElement | null> | { getBoundingClientRect(): DOMRect };
  label: { 'aria-labelledby': string } | { 'aria-label': string };
  /** The element that gets the focus when it closes; otherwise the one that had it. */
  finalFocus?: RefObject<HTMLElement | null>;
  /** Whether the rest of the page waits until it is closed. */
  modal?: boolean;
  /** Undefined while it is closed. */
  openedBy: OpenedBy | undefined;
  entries: readonly MenuEntry[];
  align: 'start' | 'center' | 'end';
  side: 'top' | 'bottom';
  onClose(): void;
}

/** The list of a `Menu`. */
export function MenuPopup(props: MenuPopupProps) {
  const { anchor, label, finalFocus, modal = true, openedBy, entries, align, side, onClose } = props;
  const popup = useRef<HTMLDivElement>(null);
  const focusFirst = (): HTMLElement | null => {
    const items = popup.current?.querySelectorAll<HTMLElement>('[role=menuitem]:not([aria-disabled=true])');
    if (openedBy === 'pointer' || !items?.length) return popup.current;
    return items[openedBy === 'first' ? 0 : items.length - 1] ?? popup.current;
  };
  // All popups of the library accept it, but this one's types lack it.
  const initialFocus: object = { initialFocus: focusFirst };
  return (
    <Base.Root modal={modal} open={openedBy !== undefined} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Positioner
          anchor={anchor}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 outline-hidden"
        >
          <Base.Popup
            ref={popup}
            className={menuPopup}
            {...label}
            {...initialFocus}
            {...(finalFocus && { finalFocus })}
          >
            <MenuEntries entries={entries} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
