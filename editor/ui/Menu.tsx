import {
  cloneElement,
  type ComponentProps,
  type ComponentType,
  type KeyboardEvent,
  type MouseEvent,
  type ReactElement,
  useId,
  useRef,
  useState,
} from 'react';
import { afterFirstPicture } from './first-picture.ts';
import type { MenuEntry } from './menu-entry.ts';
import type { MenuPopupProps, OpenedBy } from './MenuPopup.tsx';
import { toast } from './toast.ts';

interface MenuProps {
  /** The button that opens it: `<Button>` or `<IconButton>`. */
  trigger: ReactElement<ComponentProps<'button'>>;
  entries: readonly MenuEntry[];
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom';
}

let Popup: ComponentType<MenuPopupProps> | undefined;

/**
 * The popups are 20 KB that no screen needs before a menu is opened: they are loaded after the first frame, or when a button
 * is hovered.
 */
async function loadPopup(): Promise<void> {
  Popup ??= (await import('./MenuPopup.tsx')).MenuPopup;
}
const preload = (): void => void loadPopup().catch(() => undefined);
void afterFirstPicture().then(preload);

/** A button with a menu. The button element stays the same when the menu's code arrives, since it may have the focus. */
export function Menu({ trigger, entries, align = 'end', side = 'bottom' }: MenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const buttonId = useId();
  const [openedBy, setOpenedBy] = useState<OpenedBy>();
  // Stays mounted after the first time, so that the list can fade out and return the focus.
  const [wasOpened, setOpened] = useState(false);
  const open = async (by: OpenedBy): Promise<void> => {
    try {
      if (!Popup) await loadPopup();
      setOpened(true);
      setOpenedBy(by);
    } catch {
      toast('The menu could not be loaded. Check the connection and try again.', { kind: 'error' });
    }
  };
  const isOpen = openedBy !== undefined;
  return (
    <>
      {cloneElement(trigger, {
        id: buttonId,
        ref: button,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        ...(isOpen && { 'data-popup-open': '' }),
        onPointerEnter: preload,
        onFocus: preload,
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
          button={button}
          buttonId={buttonId}
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
