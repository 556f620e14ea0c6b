import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** Changes something on the server: whether it is under way, why it failed. After it what `reads` names is read again. */
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
