import { ContextMenu as Base } from '@base-ui/react/context-menu';
import type { MouseEvent, ReactElement, ReactNode } from 'react';
import type { MenuEntry } from './menu-entry.ts';
import { MenuEntries, menuPopup } from './MenuEntries.tsx';
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
  return (
    <Base.Root>
      <Base.Trigger
        render={area}
        {...touch}
        onContextMenuCapture={(event) => {
          onContextMenuCapture();
          onOpen?.(event);
        }}
      >
        {children}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner collisionPadding={8} className="z-50 outline-hidden">
          <Base.Popup className={menuPopup}>
            <MenuEntries entries={entries} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
