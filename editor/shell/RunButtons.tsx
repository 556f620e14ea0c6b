import { ChevronDown, Play } from 'lucide-react';
import { listenCommand, runCommand, runWithInputCommand, stopRunCommand } from '../commands/run.ts';
import { IconButton } from '../ui/IconButton.tsx';
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
  const entries = [runWithInputCommand, listenCommand].map((command) => menuEntry(command, session));
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
