import { ChevronDown } from 'lucide-react';
import type { Command, Session } from '../commands/command.ts';
import { pinsCommand, runFromCommand, runNodeCommand, runWithoutPinsCommand } from '../commands/part-run.ts';
import { listenCommand, runWithInputCommand } from '../commands/run.ts';
import { earlierRun } from '../state/earlier-run.ts';
import type { RunState } from '../state/run-store.ts';
import { clockText, countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { Menu } from '../ui/Menu.tsx';
import { menuEntry } from '../session/menu-entries.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';

/** The other ways to run: with an input, from a node on with the outputs of an earlier run, without pins. */
export function RunMenu() {
  const session = useSession();
  // State that decides which entries are enabled.
  useEditor((editor) => editor.problems);
  useEditor((editor) => editor.selectedNodes);
  const reused = useRuns(reusedText);
  const pinned = useRuns((runs) => Object.keys(runs.pins).length);
  const entries = [
    ...entriesOf([runWithInputCommand, listenCommand], session),
    { id: 'reused', heading: reused },
    ...entriesOf([runNodeCommand, runFromCommand], session),
    ...(pinned > 0 ? pinEntries(pinned, session) : []),
  ];
  return (
    <Menu
      trigger={<IconButton icon={ChevronDown} label="More ways to run" className="!w-6" />}
      entries={entries}
    />
  );
}

function pinEntries(pinned: number, session: Session): MenuEntry[] {
  const heading = { id: 'pinned', heading: `${countText(pinned, 'node')} pinned, for runs by hand` };
  return [heading, ...entriesOf([runWithoutPinsCommand, pinsCommand], session)];
}

function entriesOf(commands: readonly Command[], session: Session): MenuEntry[] {
  return commands.map((command) => menuEntry(command, session));
}

function reusedText(runs: RunState): string {
  const earlier = earlierRun(runs);
  if (!earlier) return 'Selected node, with the nodes it needs';
  return `Selected node, with outputs of ${clockText(earlier.startedAt).slice(0, 8)}`;
}
