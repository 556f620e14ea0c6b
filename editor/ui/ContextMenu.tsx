import {
  cloneElement,
  type HTMLAttributes,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
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
  onOpen?(event: MouseEvent): void;
}

export function ContextMenu({ area, children, entries, onOpen }: ContextMenuProps) {
  const { onContextMenuCapture, ...touch } = useLongPress();
  const [place, setPlace] = useState<{ getBoundingClientRect(): DOMRect }>();
  const [isOpen, setOpen] = useState(false);
  const open = async ({ clientX: x, clientY: y }: MouseEvent): Promise<void> => {
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
          modal={false}
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
