import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

/** Changes secrets: whether it is under way, why it failed; all that depends on secrets is read again. */
export function useChange(onDone: () => void) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  async function change(work: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      for (const key of ['secrets', 'world', 'flows']) await queries.invalidateQueries({ queryKey: [key] });
      onDone();
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      setBusy(false);
    }
  }
  return { busy, error, change };
}
