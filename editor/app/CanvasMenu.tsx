import { type MouseEvent, type ReactNode, useState } from 'react';
import { menuTargetOf } from '../canvas/menu-target.ts';
import type { Command } from '../commands/command.ts';
import { commandsOfMenu } from '../commands/index.ts';
import { ContextMenu } from '../ui/ContextMenu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { menuEntry } from '../session/menu-entries.ts';
import { useSession } from '../session/session.tsx';

/** The context menu of the canvas: the commands for the element under the pointer, with a line between groups. */
export function CanvasMenu({ children }: { children: ReactNode }) {
  const session = useSession();
  const [entries, setEntries] = useState<readonly MenuEntry[]>([]);
  const onOpen = (event: MouseEvent): void => {
    const menu = menuTargetOf(session, event.target as Element);
    setEntries(
      commandsOfMenu(menu).flatMap((command, i, all) => [
        ...separatorBefore(command, all[i - 1]),
        menuEntry(command, session),
      ]),
    );
  };
  return (
    <ContextMenu area={<div className="h-full" />} entries={entries} onOpen={onOpen}>
      {children}
    </ContextMenu>
  );
}

function separatorBefore(command: Command, previous: Command | undefined): MenuEntry[] {
  const isNewGroup = previous !== undefined && previous.group !== command.group;
  return isNewGroup ? [{ id: `before-${command.id}`, separator: true }] : [];
}
