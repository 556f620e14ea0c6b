import { useCallback, useSyncExternalStore } from 'react';
import { useSession } from '../session/session.tsx';
import type { RunState } from '../state/run-store.ts';

/** Lists need not follow each frame: nobody reads that fast, and drawing them is most of the cost of many runs. */
const PACE_MS = 100;

/** A slice of the runs that is redrawn at most ten times per second. */
export function usePacedRuns<T>(select: (state: RunState) => T): T {
  const { runs } = useSession();
  const subscribe = useCallback(
    (changed: () => void) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = runs.subscribe(() => {
        timer ??= setTimeout(() => {
          timer = undefined;
          changed();
        }, PACE_MS);
      });
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
    [runs],
  );
  return useSyncExternalStore(subscribe, () => select(runs.getState()));
}
