import type { DockTab, Overlay, Theme, UiState } from '../state/ui-store.ts';
import { type Command, defineCommand, type Session } from './command.ts';

/** Finding one's way: palette of commands, search, shortcuts, panels, theme. */
const show =
  (overlay: Overlay) =>
  ({ ui }: Session): void =>
    ui.setState({ overlay });

const toggle =
  (panel: 'paletteOpen' | 'inspectorOpen' | 'dockOpen') =>
  ({ ui }: Session): void =>
    ui.setState((state: UiState) => ({ [panel]: !state[panel] }));

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
  icon: 'square-terminal',
  run: show({ kind: 'commands' }),
});

export const findCommand = defineCommand({
  id: 'find',
  label: 'Find a node…',
  group: 'Edit',
  keys: ['Mod+F'],
  icon: 'search',
  menu: ['canvas'],
  run: show({ kind: 'find' }),
});

export const shortcutsCommand = defineCommand({
  id: 'shortcuts',
  label: 'Keyboard shortcuts',
  group: 'Help',
  keys: ['?'],
  icon: 'keyboard',
  run: show({ kind: 'shortcuts' }),
});

export const togglePaletteCommand = defineCommand({
  id: 'toggle-palette',
  label: 'Show or hide the palette',
  group: 'View',
  keys: ['Mod+B'],
  icon: 'panel-left',
  run: toggle('paletteOpen'),
});

export const toggleInspectorCommand = defineCommand({
  id: 'toggle-inspector',
  label: 'Show or hide the inspector',
  group: 'View',
  keys: ['Mod+I'],
  icon: 'panel-right',
  run: toggle('inspectorOpen'),
});

export const toggleDockCommand = defineCommand({
  id: 'toggle-dock',
  label: 'Show or hide the bottom panel',
  group: 'View',
  keys: ['Mod+J'],
  icon: 'panel-bottom',
  run: toggle('dockOpen'),
});

export const helpCommands: readonly Command[] = [
  commandsCommand,
  findCommand,
  shortcutsCommand,
  togglePaletteCommand,
  toggleInspectorCommand,
  toggleDockCommand,
  defineCommand({ id: 'tests', label: 'Tests of this flow', group: 'View', run: dock('tests') }),
  defineCommand({
    id: 'versions',
    label: 'Versions of this flow',
    group: 'View',
    icon: 'history',
    run: dock('versions'),
  }),
  defineCommand({
    id: 'theme-light',
    label: 'Theme: light',
    group: 'View',
    icon: 'sun',
    run: theme('light'),
  }),
  defineCommand({ id: 'theme-dark', label: 'Theme: dark', group: 'View', icon: 'moon', run: theme('dark') }),
  defineCommand({
    id: 'theme-system',
    label: 'Theme: as the system',
    group: 'View',
    icon: 'monitor',
    run: theme('system'),
  }),
];
