import { useQuery } from '@tanstack/react-query';
import { CommandGroup, CommandItem } from 'cmdk';
import { CornerDownRight, type LucideIcon, Workflow } from 'lucide-react';
import { useState } from 'react';
import { listFlows } from '../api/flows.ts';
import { availability, type Command } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { addOperatorCommands } from '../commands/palette.ts';
import { runCommand } from '../commands/shortcuts.ts';
import { revealNodes } from '../commands/view.ts';
import { infoOf } from '../model/edit.ts';
import { titleOf } from '../model/geometry.ts';
import { iconNamed } from '../ui/icons.ts';
import { Kbd } from '../ui/Kbd.tsx';
import { PaletteDialog, paletteGroup, paletteItem } from './PaletteDialog.tsx';
import { useSession } from './session.tsx';

const MOST_NODES = 200;

interface GroupProps {
  /** Closes the palette, then acts, so that a command may open something of its own. */
  choose(act: () => void): void;
}

/** Everything by its name: commands, nodes to add, nodes to go to, other flows. */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const { editor } = useSession();
  const [query, setQuery] = useState('');
  const choose = (act: () => void): void => {
    onClose();
    act();
  };
  const shown = commands.filter((command) => !command.hidden && command.id !== 'commands');
  return (
    <PaletteDialog
      label="All commands"
      placeholder="Type a command, an operator, a node or a flow"
      empty="Nothing fits. Try another word."
      onClose={onClose}
      query={query}
      onQuery={setQuery}
    >
      <CommandsGroup heading="Commands" of={shown} choose={choose} />
      {query !== '' && (
        <>
          <CommandsGroup
            heading="Add a node"
            of={addOperatorCommands(editor.getState().catalog)}
            choose={choose}
          />
          <NodesGroup choose={choose} />
          <FlowsGroup choose={choose} />
        </>
      )}
    </PaletteDialog>
  );
}

function CommandsGroup({ heading, of, choose }: GroupProps & { heading: string; of: readonly Command[] }) {
  const session = useSession();
  const known = of.map((command) => ({ command, reason: reasonOf(availability(command, session)) }));
  return (
    <CommandGroup heading={heading} className={paletteGroup}>
      {/* What can be done now comes first. */}
      {[...known.filter((one) => !one.reason), ...known.filter((one) => one.reason)].map(
        ({ command, reason }) => (
          <Item
            key={command.id}
            value={`${command.label} ${command.group} ${command.id}`}
            icon={iconNamed(command.icon)}
            label={command.label}
            keys={command.keys?.[0]}
            reason={reason}
            onSelect={() => choose(() => void runCommand(command, session))}
          />
        ),
      )}
    </CommandGroup>
  );
}

function NodesGroup({ choose }: GroupProps) {
  const session = useSession();
  const { doc, catalog } = session.editor.getState();
  const goTo = (id: string): void => {
    session.editor.getState().select([id]);
    revealNodes(session, [id]);
  };
  return (
    <CommandGroup heading="Go to a node" className={paletteGroup}>
      {Object.entries(doc.flow.nodes)
        .slice(0, MOST_NODES)
        .map(([id, node]) => (
          <Item
            key={id}
            value={`go to node ${id} ${titleOf(node, catalog)}`}
            icon={iconNamed(infoOf(catalog, node)?.icon)}
            label={titleOf(node, catalog)}
            hint={id}
            onSelect={() => choose(() => goTo(id))}
          />
        ))}
    </CommandGroup>
  );
}

function FlowsGroup({ choose }: GroupProps) {
  const { editor, actions } = useSession();
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const here = editor.getState().doc.flow.id;
  return (
    <CommandGroup heading="Switch to a flow" className={paletteGroup}>
      {(flows.data ?? [])
        .filter(({ id }) => id !== here)
        .map(({ id, name }) => (
          <Item
            key={id}
            value={`flow ${id} ${name ?? ''}`}
            icon={Workflow}
            label={name ?? id}
            hint={id}
            onSelect={() => choose(() => actions.goTo(`/flows/${id}`))}
          />
        ))}
    </CommandGroup>
  );
}

function reasonOf(enabled: true | string): string | undefined {
  return typeof enabled === 'string' ? enabled : undefined;
}

interface ItemProps {
  value: string;
  icon: LucideIcon;
  label: string;
  hint?: string;
  keys?: string | undefined;
  /** Why it cannot be chosen now. */
  reason?: string | undefined;
  onSelect(): void;
}

function Item({ value, icon: Icon, label, hint, keys, reason, onSelect }: ItemProps) {
  return (
    <CommandItem value={value} disabled={reason !== undefined} onSelect={onSelect} className={paletteItem}>
      <Icon aria-hidden className="size-4 shrink-0 text-text-2" />
      <span className="min-w-0 truncate">{label}</span>
      {hint !== undefined && hint !== label && (
        <span className="flex min-w-0 items-center gap-1 truncate font-mono text-xs text-text-2">
          <CornerDownRight aria-hidden className="size-3 shrink-0" />
          {hint}
        </span>
      )}
      <span className="flex-1" />
      {reason && <span className="truncate text-xs text-text-2">{reason}</span>}
      {keys && <Kbd keys={keys} />}
    </CommandItem>
  );
}
