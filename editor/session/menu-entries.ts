import { availability, type Command, type Session } from '../commands/command.ts';
import { runCommand } from '../commands/shortcuts.ts';
import type { MenuEntry } from '../ui/menu-entry.ts';

/** A command as a menu entry in its current state. */
export function menuEntry(command: Command, session: Session): MenuEntry {
  const enabled = availability(command, session);
  return {
    id: command.id,
    label: command.label,
    icon: command.icon,
    keys: command.keys?.[0],
    disabled: enabled === true ? undefined : enabled,
    danger: command.id === 'delete',
    onSelect: () => void runCommand(command, session),
  };
}
