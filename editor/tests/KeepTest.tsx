import { useQueryClient } from '@tanstack/react-query';
import { keepTest } from '../api/flow-tests.ts';
import { useRuns } from '../session/session.tsx';
import { useChange } from '../session/use-change.ts';
import { TextDialog } from '../ui/TextDialog.tsx';
import { toast } from '../ui/toast.ts';

/** The run that can be saved as a test, or why there is none. */
export function useKeptRun(): { readonly id: string | undefined; readonly reason: string | undefined } {
  const id = useRuns((runs) => runs.shown?.id);
  const status = useRuns((runs) => runs.shown?.status);
  const missing = useRuns((runs) => runs.shown?.missing);
  if (id === undefined)
    return { id, reason: 'Run the flow first: a test is made from the run on the canvas.' };
  if (status === 'running') return { id: undefined, reason: 'The run on the canvas has not ended yet.' };
  if (missing !== undefined)
    return { id: undefined, reason: 'The values of the run on the canvas were not recorded.' };
  return { id, reason: undefined };
}

/** Saves the run on the canvas as a test. */
export function KeepTest({ run, onClose }: { run: string; onClose(): void }) {
  const queries = useQueryClient();
  const { busy, error, change } = useChange(['tests'], onClose);
  const keep = async (name: string): Promise<void> => {
    await keepTest(run, name);
    await queries.invalidateQueries({ queryKey: ['tests'] });
    toast(`“${name}” is a test now.`, { kind: 'success' });
  };
  return (
    <TextDialog
      title="Keep this run as a test"
      label="What it shows"
      help="The test uses its input and the answers from outside, and expects its outputs."
      value=""
      action="Keep as a test"
      busy={busy}
      error={error}
      onSubmit={(name) => void change(() => keep(name))}
      onClose={onClose}
    />
  );
}
