import { useQuery } from '@tanstack/react-query';
import { CommandGroup, CommandItem } from 'cmdk';
import { Box, CornerDownRight, type LucideIcon, Workflow } from 'lucide-react';
import { useMemo, useState } from 'react';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { listFlows } from '../api/flows.ts';
import { availability, type Command, type Session } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { addOperatorCommands } from '../commands/palette.ts';
import { runCommand } from '../commands/shortcuts.ts';
import { revealNodes } from '../commands/view.ts';
import { infoOf } from '../model/document/edit.ts';
import { titleOf } from '../model/document/geometry.ts';
import { operatorIcon } from '../ui/operator-icon.ts';
import { Kbd } from '../ui/Kbd.tsx';
import { PaletteDialog, paletteGroup, paletteItem, rank } from './PaletteDialog.tsx';
import { useSession } from '../session/session.tsx';
import { flatFlow, isStart } from '../model/document/flat.ts';

const MOST_NODES = 200;

interface Entry {
  /** The search text; unique among all entries. */
  readonly value: string;
  readonly icon: LucideIcon;
  readonly label: string;
  readonly hint?: string;
  readonly keys?: string | undefined;
  /** Why it cannot be chosen now. */
  readonly reason?: string | undefined;
  act(): void;
}

interface Group {
  readonly heading: string;
  readonly entries: readonly Entry[];
}

/** Everything by name: commands, nodes to add, nodes to go to, other flows. */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState('');
  const all = useGroups();
  const shown = useMemo(() => found(query === '' ? all.slice(0, 1) : all, query), [all, query]);
  return (
    <PaletteDialog
      label="All commands"
      placeholder="Type a command, an operator, a node or a flow"
      empty="No match. Try another word."
      onClose={onClose}
      query={query}
      onQuery={setQuery}
      filtered
    >
      {shown.map(({ heading, entries }) => (
        <CommandGroup key={heading} heading={heading} className={paletteGroup}>
          {entries.map((entry) => (
            <Item
              key={entry.value}
              {...entry}
              // A command may open something itself.
              onSelect={() => {
                onClose();
                entry.act();
              }}
            />
          ))}
        </CommandGroup>
      ))}
    </PaletteDialog>
  );
}

/** Enabled entries come first, and among those exact matches. */
function scoreOf(
  { value, label, reason }: Pick<ItemProps, 'value' | 'label' | 'reason'>,
  query: string,
): number {
  const score = rank(value, query);
  if (reason !== undefined) return score - 1;
  const isName = label.replace(/^Add /, '').toLowerCase() === query.trim().toLowerCase();
  return isName ? score + 1 : score;
}

/** Matching entries: the group with the best match first, and within it enabled entries before disabled ones. */
function found(groups: readonly Group[], query: string): Group[] {
  const ranked = groups.map(({ heading, entries }) => {
    const hits = entries
      .map((entry) => ({ entry, score: scoreOf(entry, query) }))
      .filter(({ entry, score }) => score > (entry.reason === undefined ? 0 : -1))
      .sort((a, b) => b.score - a.score);
    return { heading, best: hits[0]?.score ?? 0, entries: hits.map(({ entry }) => entry) };
  });
  return ranked.filter(({ entries }) => entries.length > 0).sort((a, b) => b.best - a.best);
}

function useGroups(): readonly Group[] {
  const session = useSession();
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  return useMemo(() => {
    const { doc, catalog } = session.editor.getState();
    const known = commands.filter((command) => !command.hidden && command.id !== 'commands');
    const entriesOf = (of: readonly Command[]) => of.map((command) => commandEntry(command, session));
    const others = (flows.data ?? []).filter(({ id }) => id !== doc.flow.id);
    return [
      { heading: 'Commands', entries: entriesOf(known) },
      { heading: 'Add a node', entries: entriesOf(addOperatorCommands(catalog)) },
      { heading: 'Go to a node', entries: nodeEntries(session) },
      {
        heading: 'Switch to a flow',
        entries: others.map(({ id, name }) => ({
          value: `flow ${id} ${name ?? ''}`,
          icon: Workflow,
          label: withoutDirectionMarks(name ?? id),
          hint: id,
          act: () => session.actions.goTo(`/flows/${id}`),
        })),
      },
    ];
  }, [session, flows.data]);
}

function commandEntry(command: Command, session: Session): Entry {
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

function nodeEntries(session: Session): Entry[] {
  const { doc, catalog, select } = session.editor.getState();
  return Object.entries(flatFlow(doc.flow).nodes)
    .filter(([, node]) => !isStart(node))
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

interface ItemProps extends Omit<Entry, 'act'> {
  onSelect(): void;
}

function Item({ value, icon: Icon, label, hint, keys, reason, onSelect }: ItemProps) {
  return (
    <CommandItem value={value} disabled={reason !== undefined} onSelect={onSelect} className={paletteItem}>
      <Icon aria-hidden className="size-4 shrink-0 text-text-2" />
      <bdi className="min-w-0 truncate">{label}</bdi>
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
