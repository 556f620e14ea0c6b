import { useEffect, useState } from 'react';
import type { RunTimeline } from '#shared/run-timeline.ts';
import { getTimeline } from '../api/timeline.ts';

/** How often a run in progress is polled, in milliseconds. */
const LOOK_EVERY = 2000;

export type TimelineState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'ready'; readonly timeline: RunTimeline };

/** The timeline of a run; polled while the run is in progress. `status` is the last known status of the run. */
export function useTimeline(run: string, status: string): [TimelineState, retry: () => void] {
  const [state, setState] = useState<TimelineState>({ kind: 'loading' });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const timeline = await getTimeline(run, abort.signal);
        setState({ kind: 'ready', timeline });
        if (timeline.summary.ms === undefined) timer = setTimeout(() => void look(), LOOK_EVERY);
      } catch (error) {
        if (!abort.signal.aborted) setState({ kind: 'failed', message: (error as Error).message });
      }
    };
    void look();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [run, status, tries]);
  return [state, () => setTries(tries + 1)];
}
