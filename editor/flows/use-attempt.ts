import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { toast } from '../ui/toast.ts';

/** Changes the server's flows, reports a failure, and reloads the list. */
export function useAttempt(): (work: () => Promise<unknown>) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    async (work) => {
      try {
        await work();
      } catch (error) {
        toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
      } finally {
        await queries.invalidateQueries({ queryKey: ['flows'] });
      }
    },
    [queries],
  );
}
