import { Play, Square } from 'lucide-react';
import { commandById } from '../commands/index.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { CommandButton } from './CommandButton.tsx';
import { useRuns, useSession } from './session.tsx';

/** Run, and stop while a run is shown that goes on. */
export function RunButtons() {
  const { ui, actions } = useSession();
  const isRunning = useRuns((runs) => runs.shown?.status === 'running');
  const run = commandById('run');
  return (
    <div className="flex items-center">
      {run ? (
        <CommandButton command={run} variant="secondary" icon={Play} label="Run" />
      ) : (
        <Button icon={Play} onClick={() => ui.setState({ overlay: { kind: 'run-form' } })}>
          Run
        </Button>
      )}
      {isRunning && (
        <IconButton icon={Square} label="Stop the run" tone="bad" onClick={() => void actions.stopRun()} />
      )}
    </div>
  );
}
