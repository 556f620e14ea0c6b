import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import type { MenuEntry } from './menu-entry.ts';
import { MenuEntries, menuPopup } from './MenuEntries.tsx';

interface MenuProps {
  /** The button that opens it: `<Button>` or `<IconButton>`. */
  trigger: ReactElement;
  entries: readonly MenuEntry[];
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'bottom';
}

/** A button with a menu. */
export function Menu({ trigger, entries, align = 'end', side = 'bottom' }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 outline-hidden"
        >
          <Base.Popup className={menuPopup}>
            <MenuEntries entries={entries} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
