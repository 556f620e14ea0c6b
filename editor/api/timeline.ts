import type { RunTimeline } from '#shared/run-timeline.ts';
import { call } from './client.ts';

/** Where a run's time and money went. */
export const getTimeline = (run: string, signal: AbortSignal): Promise<RunTimeline> =>
  call(
    async () => (await import('#shared/run-timeline.ts')).RunTimeline,
    'GET',
    `/api/v1/runs/${encodeURIComponent(run)}/timeline`,
    { signal },
  );
