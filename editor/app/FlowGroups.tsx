import { Box, Settings2 } from 'lucide-react';
import { useCallback } from 'react';
import { availability, type Command, type Session } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { addOperatorCommands } from '../commands/palette.ts';
import { runCommand } from '../commands/shortcuts.ts';
import { revealNodes } from '../commands/view.ts';
import { settingsFields } from '../inspector/node-fields.ts';
import type { Doc } from '../model/document/document.ts';
import { flatFlow, isStart } from '../model/document/flat.ts';
import { infoOf } from '../model/document/edit.ts';
import { titleOf } from '../model/document/geometry.ts';
import { paramFields } from '../model/form/schema-form.ts';
import { type PaletteEntry, type PaletteGroup, useTellGroups } from '../session/palette-groups.ts';
import { useSession } from '../session/session.tsx';
import { operatorIcon } from '../ui/operator-icon.ts';

const MOST_NODES = 200;

/** Gives the palette of commands the entries of the open flow; draws nothing. */
export function FlowGroups() {
  const session = useSession();
  useTellGroups(useCallback(() => sessionGroups(session), [session]));
  return null;
}

function sessionGroups(session: Session): readonly PaletteGroup[] {
  const { catalog } = session.editor.getState();
  const known = commands.filter((command) => !command.hidden && command.id !== 'commands');
  const entriesOf = (of: readonly Command[]) => of.map((command) => commandPaletteEntry(command, session));
  return [
    { heading: 'Commands', first: true, entries: entriesOf(known) },
    { heading: 'Add a node', entries: entriesOf(addOperatorCommands(catalog)) },
    { heading: 'Go to a node', entries: nodeEntries(session) },
    { heading: 'Settings', entries: [...settingEntries(session), ...flowSettingEntries(session)] },
  ];
}

function commandPaletteEntry(command: Command, session: Session): PaletteEntry {
  const enabled = availability(command, session);
  return {
    value: [command.label, command.group, command.id, ...(command.words ?? [])].join(' '),
    icon: command.icon ?? Box,
    label: command.label,
    keys: command.keys?.[0],
    reason: enabled === true ? undefined : enabled,
    act: () => void runCommand(command, session),
  };
}

/** Those in bodies too. */
const nodesOf = ({ flow }: Doc) => Object.entries(flatFlow(flow).nodes).filter(([, node]) => !isStart(node));

function nodeEntries(session: Session): PaletteEntry[] {
  const { doc, catalog, select } = session.editor.getState();
  return nodesOf(doc)
    .slice(0, MOST_NODES)
    .map(([id, node]) => ({
      value: `go to node ${id} ${titleOf(node, catalog)}`,
      icon: operatorIcon(infoOf(catalog, node)),
      label: titleOf(node, catalog),
      hint: id,
      act: () => {
        select([id]);
        revealNodes(session, [id]);
      },
    }));
}

/** The settings of all nodes: choosing one opens its field. */
function settingEntries(session: Session): PaletteEntry[] {
  const { doc, catalog, select } = session.editor.getState();
  return nodesOf(doc)
    .slice(0, MOST_NODES)
    .flatMap(([id, node]) => {
      const info = infoOf(catalog, node);
      const title = titleOf(node, catalog);
      return (info ? paramFields(info) : []).map((field) => ({
        value: `setting ${field.title} ${title} ${id}.${field.name}`,
        icon: operatorIcon(info),
        label: field.title,
        hint: title,
        act: () => {
          select([id]);
          revealNodes(session, [id]);
          session.ui.setState({ panel: 'inspector', focusField: `params.${field.name}` });
        },
      }));
    });
}

function flowSettingEntries(session: Session): PaletteEntry[] {
  return settingsFields.map(({ name, title }) => ({
    value: `setting of the flow ${title} ${name}`,
    icon: Settings2,
    label: title,
    hint: 'flow',
    act: () => {
      session.editor.getState().select([]);
      session.ui.setState({ panel: 'inspector', focusField: `settings.${name}` });
    },
  }));
}
