import {
  cloneElement,
  type ComponentProps,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  useId,
  useRef,
  useState,
} from 'react';
import { loadedMenu, loadMenu, preloadMenu } from './menu-code.ts';
import type { MenuEntry } from './menu-entry.ts';
import type { OpenedBy } from './MenuPopup.tsx';

interface MenuProps {
  /** The button that opens it: `<Button>` or `<IconButton>`. */
  trigger: ReactElement<ComponentProps<'button'>>;
  entries: readonly MenuEntry[];
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom';
}

/** A button with a menu. The button element stays the same when the menu's code arrives, since it may have the focus. */
export function Menu({ trigger, entries, align = 'end', side = 'bottom' }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const buttonId = useId();
  const [openedBy, setOpenedBy] = useState<OpenedBy>();
  // Stays mounted after the first time, so that the list can fade out and return the focus.
  const [wasOpened, setOpened] = useState(false);
  const open = async (by: OpenedBy): Promise<void> => {
    if (!loadedMenu() && !(await loadMenu())) return;
    setOpened(true);
    setOpenedBy(by);
  };
  const Popup = loadedMenu();
  const isOpen = openedBy !== undefined;
  return (
    <>
      {cloneElement(trigger, {
        id: buttonId,
        ref: button,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        ...(isOpen && { 'data-popup-open': '' }),
        onPointerEnter: preloadMenu,
        onFocus: preloadMenu,
        // A click without a pointer has no detail.
        onClick: (event: MouseEvent) => void open(event.detail === 0 ? 'first' : 'pointer'),
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          void open(event.key === 'ArrowDown' ? 'first' : 'last');
        },
      })}
      {wasOpened && Popup && (
        <Popup
          anchor={button}
          label={{ 'aria-labelledby': buttonId }}
          finalFocus={button}
          openedBy={openedBy}
          entries={entries}
          align={align}
          side={side}
          onClose={() => setOpenedBy(undefined)}
        />
      )}
    </>
  );
}
