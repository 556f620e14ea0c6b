import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteRuns, type RunSearch, searchRuns } from '../api/history.ts';
import { useChange } from '../shell/use-change.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { countText } from '../ui/format.ts';
import { type RunFilter, searchOf } from './run-filter.ts';

const AT_ONCE = 500;
/** Counting goes no further. */
const COUNTED = 10_000;

/** Asks before all runs that fit a filter are forgotten, and says how many they are. */
export function DeleteFitting({ filter, onClose }: { filter: RunFilter; onClose(): void }) {
  // What is counted is what is deleted: not those that come meanwhile.
  const [search] = useState(() => searchOf(filter, Date.now()));
  const count = useQuery({ queryKey: ['history-count', search], queryFn: () => countRuns(search) });
  const [deleted, setDeleted] = useState(0);
  const { busy, error, change } = useChange(['history'], onClose);
  const removeAll = async (): Promise<void> => {
    let sum = 0;
    for (let before: string | undefined, isFirst = true; isFirst || before; isFirst = false) {
      const page = await deleteRuns({ ...search, limit: AT_ONCE, ...(before && { before }) });
      sum += page.deleted;
      setDeleted(sum);
      before = page.next;
    }
  };
  const { data: n } = count;
  const words =
    n === undefined ? 'all runs that fit' : `${n >= COUNTED ? 'more than ' : ''}${countText(n, 'run')}`;
  return (
    <ConfirmDialog
      title={`Delete ${words}?`}
      description={
        <>
          What is kept of them is forgotten: inputs, outputs, logs. It cannot be brought back. Runs in
          progress stay.
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

async function countRuns(search: RunSearch): Promise<number> {
  let count = 0;
  for (let before: string | undefined, isFirst = true; isFirst || before; isFirst = false) {
    const page = await searchRuns({ ...search, limit: AT_ONCE, ...(before && { before }) });
    count += page.runs.length;
    before = count < COUNTED ? page.next : undefined;
  }
  return count;
}
