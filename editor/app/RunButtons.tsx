import { Play } from 'lucide-react';
import { Suspense } from 'react';
import { runCommand, stopRunCommand } from '../commands/run.ts';
import { isOver } from '../state/run-status.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { RunMenu } from './parts.tsx';
import { useRuns } from '../session/session.tsx';

/** Run, the other ways to run, and stop while the shown run is in progress. */
export function RunButtons() {
  const isRunning = useRuns(({ shown }) => shown !== undefined && !isOver(shown.status));
  return (
    <div className="flex items-center">
      <CommandButton command={runCommand} variant="secondary" icon={Play} />
      <Suspense fallback={<span className="w-6" />}>
        <RunMenu />
      </Suspense>
      {isRunning && <CommandButton command={stopRunCommand} />}
    </div>
  );
}
