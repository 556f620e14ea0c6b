import { ChevronDown, Play } from 'lucide-react';
import { pinsCommand, runFromCommand, runNodeCommand, runWithoutPinsCommand } from '../commands/part-run.ts';
import { listenCommand, runCommand, runWithInputCommand, stopRunCommand } from '../commands/run.ts';
import type { Command, Session } from '../commands/command.ts';
import { earlierRun } from '../state/earlier-run.ts';
import type { RunState } from '../state/run-store.ts';
import { clockText, countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { Menu } from '../ui/Menu.tsx';
import { CommandButton } from './CommandButton.tsx';
import { menuEntry } from './menu-entries.ts';
import { useEditor, useRuns, useSession } from './session.tsx';

/** Run, the other ways to run, and stop while a run is shown that goes on. */
export function RunButtons() {
  const session = useSession();
  const isRunning = useRuns((runs) => runs.shown?.status === 'running');
  // What decides whether the entries can be chosen.
  useEditor((editor) => editor.problems);
  useEditor((editor) => editor.selectedNodes);
  const reused = useRuns(reusedText);
  const pins = useRuns((runs) => Object.keys(runs.pins).length);
  const entries = [
    ...entriesOf([runWithInputCommand, listenCommand], session),
    { id: 'reused', heading: reused },
    ...entriesOf([runNodeCommand, runFromCommand], session),
    ...(pins > 0 ? [{ id: 'pinned', heading: `${countText(pins, 'node')} pinned, for runs by hand` }] : []),
    ...(pins > 0 ? entriesOf([runWithoutPinsCommand, pinsCommand], session) : []),
  ];
  return (
    <div className="flex items-center">
      <CommandButton command={runCommand} variant="secondary" icon={Play} />
      <Menu
        trigger={<IconButton icon={ChevronDown} label="More ways to run" className="!w-6" />}
        entries={entries}
      />
      {isRunning && <CommandButton command={stopRunCommand} />}
    </div>
  );
}

function entriesOf(commands: readonly Command[], session: Session): MenuEntry[] {
  return commands.map((command) => menuEntry(command, session));
}

function reusedText(runs: RunState): string {
  const earlier = earlierRun(runs);
  if (!earlier) return 'The selected node: no run to reuse yet';
  return `The selected node, with outputs of ${clockText(earlier.startedAt).slice(0, 8)}`;
}
