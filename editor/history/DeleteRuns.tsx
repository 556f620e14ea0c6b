import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunSummary } from '#shared/run-event.ts';
import { deleteRun } from '../api/history.ts';
import { useChange } from '../session/use-change.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { countText } from '../ui/format.ts';
import { COUNTED, countFitting, deleteFitting } from './fitting-runs.ts';
import { type RunFilter, searchOf } from './run-filter.ts';

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

/** Asks before all matching runs are deleted, and shows their number. */
export function DeleteFitting({ filter, onClose }: { filter: RunFilter; onClose(): void }) {
  const [search] = useState(() => searchOf(filter, Date.now()));
  const count = useQuery({ queryKey: ['history-count', search], queryFn: () => countFitting(search) });
  const [deleted, setDeleted] = useState(0);
  const { busy, error, change } = useChange(['history'], onClose);
  const { runs: n, newest } = count.data ?? {};
  const removeAll = async (): Promise<void> => {
    if (newest !== undefined) await deleteFitting(search, newest, setDeleted);
  };
  const words =
    n === undefined ? 'all matching runs' : `${n >= COUNTED ? 'more than ' : ''}${countText(n, 'run')}`;
  return (
    <ConfirmDialog
      title={`Delete ${words}?`}
      description={
        <>
          Their records are deleted: inputs, outputs, logs. This cannot be undone. Runs in progress stay.
          {deleted > 0 && <span role="status"> {countText(deleted, 'run')} deleted so far.</span>}
        </>
      }
      action="Delete"
      busy={busy || count.isLoading}
      error={error ?? count.error?.message}
      onConfirm={() => void change(removeAll)}
      onClose={onClose}
    />
  );
}
