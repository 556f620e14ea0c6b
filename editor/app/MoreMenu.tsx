import { EllipsisVertical } from 'lucide-react';
import { autoLayoutCommand } from '../commands/view.ts';
import {
  connectionsCommand,
  discardCommand,
  exportCommand,
  homeCommand,
  inviteCommand,
  secretsCommand,
} from '../commands/file.ts';
import { commandsCommand, findCommand, shortcutsCommand } from '../commands/help.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { menuEntry } from '../session/menu-entries.ts';
import { useEditor, useSession, useSync } from '../session/session.tsx';

const GROUPS = [
  [commandsCommand, findCommand, autoLayoutCommand],
  [exportCommand, discardCommand],
  [shortcutsCommand, homeCommand, secretsCommand, connectionsCommand],
  [inviteCommand],
];

export function MoreMenu() {
  const session = useSession();
  // State that decides which entries are enabled.
  useSync((sync) => sync.record);
  useEditor((editor) => editor.doc);
  const entries = GROUPS.flatMap((group, i) => [
    ...(i > 0 ? [{ id: `separator-${i}`, separator: true as const }] : []),
    ...group.map((command) => menuEntry(command, session)),
  ]);
  return <Menu trigger={<IconButton icon={EllipsisVertical} label="More" />} entries={entries} />;
}
