import {
  CircleHelp,
  History,
  Keyboard,
  Monitor,
  Moon,
  PanelBottom,
  PanelRight,
  Replace,
  ReplaceAll,
  Search,
  SquareTerminal,
  Sun,
} from 'lucide-react';
import type { DockTab, Overlay, Theme } from '../state/ui-store.ts';
import { infoOf } from '../model/document/edit.ts';
import { nodeIn } from '../model/document/flat.ts';
import { DOCK_HELP, helpAddress, operatorHelp, screenHelp } from '../model/help-pages.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Orientation: palette of commands, search, shortcuts, panels, theme. */

const show =
  (overlay: Overlay) =>
  ({ ui }: Session): void =>
    ui.setState({ overlay });

const dock =
  (dockTab: DockTab) =>
  ({ ui }: Session): void =>
    ui.setState({ dockOpen: true, dockTab });

const theme =
  (to: Theme) =>
  ({ ui }: Session): void =>
    ui.setState({ theme: to });

export const commandsCommand = defineCommand({
  id: 'commands',
  label: 'All commands…',
  group: 'Help',
  keys: ['Mod+K'],
  icon: SquareTerminal,
  run: show({ kind: 'commands' }),
});

export const findCommand = defineCommand({
  id: 'find',
  label: 'Find a node…',
  group: 'Edit',
  keys: ['Mod+F'],
  icon: Search,
  menu: ['canvas'],
  run: show({ kind: 'find' }),
});

/** The page on what one is at: the operator of the one selected node, the open tab below the canvas, or drawing itself. */
export function helpOf({ editor, ui }: Session): string {
  const { doc, catalog, selectedNodes } = editor.getState();
  const [id = '', ...more] = selectedNodes;
  const info = more.length === 0 ? infoOf(catalog, nodeIn(doc.flow, id)) : undefined;
  const { dockOpen, dockTab } = ui.getState();
  return (info && operatorHelp(info)) ?? (dockOpen ? DOCK_HELP[dockTab] : screenHelp('/flows'));
}

export const helpCommand = defineCommand({
  id: 'help',
  label: 'Help on this…',
  words: ['documentation', 'docs', 'manual', 'how', 'reference'],
  group: 'Help',
  keys: ['F1'],
  icon: CircleHelp,
  menu: ['node'],
  run: (session) => void window.open(helpAddress(helpOf(session)), '_blank', 'noopener'),
});

const replaceCommand = defineCommand({
  id: 'replace',
  label: 'Find and replace…',
  words: ['search', 'rename'],
  group: 'Edit',
  keys: ['Mod+H'],
  icon: Replace,
  menu: ['canvas'],
  run: show({ kind: 'replace' }),
});

const replaceAllCommand = defineCommand({
  id: 'replace-all',
  label: 'Find and replace in all flows…',
  words: ['search'],
  group: 'Edit',
  icon: ReplaceAll,
  run: show({ kind: 'replace-all' }),
});

export const shortcutsCommand = defineCommand({
  id: 'shortcuts',
  label: 'Keyboard shortcuts',
  group: 'Help',
  keys: ['?'],
  icon: Keyboard,
  run: show({ kind: 'shortcuts' }),
});

export const toggleInspectorCommand = defineCommand({
  id: 'toggle-inspector',
  label: 'Show or hide the inspector',
  group: 'View',
  keys: ['Mod+I'],
  icon: PanelRight,
  run: ({ ui }) => ui.setState(({ panel }) => ({ panel: panel === 'inspector' ? 'none' : 'inspector' })),
});

export const toggleDockCommand = defineCommand({
  id: 'toggle-dock',
  label: 'Show or hide the bottom panel',
  group: 'View',
  keys: ['Mod+J'],
  icon: PanelBottom,
  run: ({ ui }) => ui.setState(({ dockOpen }) => ({ dockOpen: !dockOpen })),
});

export const helpCommands: readonly Command[] = [
  commandsCommand,
  findCommand,
  helpCommand,
  replaceCommand,
  replaceAllCommand,
  shortcutsCommand,
  toggleInspectorCommand,
  toggleDockCommand,
  defineCommand({ id: 'tests', label: 'Tests of this flow', group: 'View', run: dock('tests') }),
  defineCommand({
    id: 'versions',
    label: 'Versions of this flow',
    group: 'View',
    icon: History,
    run: dock('versions'),
  }),
  defineCommand({
    id: 'theme-light',
    label: 'Theme: light',
    group: 'View',
    icon: Sun,
    run: theme('light'),
  }),
  defineCommand({ id: 'theme-dark', label: 'Theme: dark', group: 'View', icon: Moon, run: theme('dark') }),
  defineCommand({
    id: 'theme-system',
    label: 'Theme: as the system',
    group: 'View',
    icon: Monitor,
    run: theme('system'),
  }),
];
