import {
  cloneElement,
  type HTMLAttributes,
  type MouseEvent as ReactMouseEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useState,
} from 'react';
import { loadedMenu, loadMenu } from './menu-code.ts';
import type { MenuEntry } from './menu-entry.ts';
import { useLongPress } from './use-long-press.ts';

interface ContextMenuProps {
  /** The element on which a right click or a long press opens the menu. */
  area: ReactElement;
  children: ReactNode;
  entries: readonly MenuEntry[];
  /** Called before it opens, with the pressed element. */
  onOpen?(event: ReactMouseEvent): void;
}

export function ContextMenu({ area, children, entries, onOpen }: ContextMenuProps) {
  const { onContextMenuCapture, ...touch } = useLongPress();
  const [place, setPlace] = useState<{ getBoundingClientRect(): DOMRect }>();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => (isOpen ? onPressBeside(() => setOpen(false)) : undefined), [isOpen]);
  const open = async ({ clientX: x, clientY: y }: ReactMouseEvent): Promise<void> => {
    if (!loadedMenu() && !(await loadMenu())) return;
    const point = new DOMRect(x, y, 0, 0);
    setPlace({ getBoundingClientRect: () => point });
    setOpen(true);
  };
  const handlers: HTMLAttributes<HTMLElement> = {
    ...touch,
    onContextMenuCapture: (event) => {
      onContextMenuCapture();
      onOpen?.(event);
    },
    onContextMenu: (event) => {
      event.preventDefault();
      void open(event);
    },
  };
  const Popup = loadedMenu();
  return (
    <>
      {cloneElement(area as ReactElement<HTMLAttributes<HTMLElement>>, handlers, children)}
      {place && Popup && (
        <Popup
          anchor={place}
          label={{ 'aria-label': 'Commands' }}
          openedBy={isOpen ? 'pointer' : undefined}
          entries={entries}
          align="start"
          side="bottom"
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** Until the layer over the page is gone. */
const GONE_MS = 60;

/**
 * The rest of the page waits behind a layer while a menu is open: a right click there closes it, and then reaches what is behind the
 * layer, in place of the browser's own menu. Returns a function that ends this.
 */
function onPressBeside(close: () => void): () => void {
  const pressed = (event: MouseEvent): void => {
    // The press that opened the menu, and one that is sent again, have been heard.
    if (!event.isTrusted || event.defaultPrevented) return;
    event.preventDefault();
    if (event.target instanceof Element && event.target.closest('[role=menu]')) return;
    close();
    const { clientX, clientY } = event;
    setTimeout(() => {
      const again = new MouseEvent('contextmenu', { bubbles: true, cancelable: true, clientX, clientY });
      document.elementFromPoint(clientX, clientY)?.dispatchEvent(again);
    }, GONE_MS);
  };
  document.addEventListener('contextmenu', pressed);
  return () => document.removeEventListener('contextmenu', pressed);
}
