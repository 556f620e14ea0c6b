import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** A change on the server: whether it is in progress, and why it failed. Afterwards the queries in `reads` are reloaded. */
export function useChange(reads: readonly string[], onDone: () => void) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  async function change(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      for (const key of reads) await queries.invalidateQueries({ queryKey: [key] });
      setBusy(false);
      onDone();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      setBusy(false);
    }
  }
  return { busy, error, change };
}
