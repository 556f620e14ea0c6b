import type { RunSummary } from '#shared/run-event.ts';
import { deleteRun } from '../api/history.ts';
import { useChange } from '../session/use-change.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { countText } from '../ui/format.ts';

/** Asks before the chosen runs are deleted. */
export function DeleteRuns({ runs, onClose }: { runs: readonly RunSummary[]; onClose(): void }) {
  const { busy, error, change } = useChange(['history'], onClose);
  const remove = async (): Promise<void> => {
    for (const { run } of runs) await deleteRun(run);
  };
  return (
    <ConfirmDialog
      title={`Delete ${countText(runs.length, 'run')}?`}
      description="Their records are deleted: inputs, outputs, logs. This cannot be undone."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(remove)}
      onClose={onClose}
    />
  );
}
