import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Redo2, RotateCw } from 'lucide-react';
import { listDeadLetters, retryRun } from '../api/partial-runs.ts';
import { continueRunCommand } from '../commands/part-run.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { useCommand } from '../session/use-command.ts';
import { Button } from '../ui/Button.tsx';

const LOOKS = 3;
const LOOK_MS = 1000;

/** Actions on a failed run: one that outlived its request is retried, another one is continued by hand. */
export function GoOn({ run }: { run: string }) {
  const flow = useEditor(({ doc }) => doc.flow.id);
  const letters = useQuery({
    queryKey: ['dead-letters', flow, run],
    queryFn: () => listDeadLetters(flow, run),
    // It is put there a moment after the run has failed.
    refetchInterval: ({ state }) => state.dataUpdateCount < LOOKS && LOOK_MS,
  });
  const isLetter = letters.data?.deadLetters.some((letter) => letter.run === run) ?? false;
  return isLetter ? <RetryButton run={run} /> : <ContinueButton />;
}

function RetryButton({ run }: { run: string }) {
  const { runs, actions } = useSession();
  const queries = useQueryClient();
  const retry = async (): Promise<void> => {
    try {
      await retryRun(run);
      runs.setState({ follow: true });
    } catch (error) {
      actions.toast((error as Error).message, 'error');
    }
    await queries.invalidateQueries({ queryKey: ['dead-letters'] });
  };
  return (
    <Button
      icon={RotateCw}
      variant="primary"
      title="As a new run of the same version, with the outputs of the earlier steps"
      onClick={() => void retry()}
    >
      Retry from here
    </Button>
  );
}

function ContinueButton() {
  const { enabled, run } = useCommand(continueRunCommand);
  return (
    <Button
      icon={Redo2}
      variant="primary"
      disabled={enabled !== true}
      title={
        enabled === true
          ? 'Runs the nodes that this run did not finish, with the outputs of those that it did'
          : enabled
      }
      onClick={run}
    >
      Retry from here
    </Button>
  );
}
