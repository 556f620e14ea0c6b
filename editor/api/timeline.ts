import type { RunTimeline } from '#shared/run-timeline.ts';
import { call } from './client.ts';

/** How a run spent its time and money. */
export const getTimeline = (run: string, signal: AbortSignal): Promise<RunTimeline> =>
  call(
    async () => (await import('#shared/run-timeline.ts')).RunTimeline,
    'GET',
    `/api/v1/runs/${encodeURIComponent(run)}/timeline`,
    { signal },
  );
