import type { z } from 'zod';
import type { RunEventPage, RunPage, Schedule } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunTimeline } from '#shared/run-timeline.ts';
import { call } from './client.ts';
import type { Heard } from './schemas.ts';

const at = (id: string): string => `/api/v1/runs/${encodeURIComponent(id)}`;

/** Runs of a flow (of all flows, if undefined), newest first; `before` is the previous page's `next`. */
export function listRuns(flow: string | undefined, limit = 50, before?: string): Promise<RunPage> {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(flow && { flow }),
    ...(before && { before }),
  });
  return call((s) => s.RunPage, 'GET', `/api/v1/runs?${query}`);
}

export const getRun = (id: string): Promise<RunSummary> => call((s) => s.RunSummary, 'GET', at(id));

export const getRunEvents = (id: string, after = 0): Promise<RunEventPage> =>
  call((s) => s.RunEventPage, 'GET', `${at(id)}/events?after=${after}&limit=5000`);

export const cancelRun = (id: string): Promise<unknown> =>
  call((s) => s.Anything, 'POST', `${at(id)}/cancel`);

/** Waits for the next request to the draft's test address. */
export const listenToDraft = (
  flow: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<z.infer<typeof Heard>> =>
  call((s) => s.Heard, 'POST', `/api/v1/flows/${encodeURIComponent(flow)}/listen`, {
    body: { timeoutMs },
    signal,
  });

/** Whether the draft's test address accepts callers now. */
export const isListening = async (flow: string, signal: AbortSignal): Promise<boolean> =>
  (await call((s) => s.Listening, 'GET', `/api/v1/flows/${encodeURIComponent(flow)}/listen`, { signal }))
    .listening;

/** How a run spent its time and money. */
export const getTimeline = (run: string, signal: AbortSignal): Promise<RunTimeline> =>
  call(
    async () => (await import('#shared/run-timeline.ts')).RunTimeline,
    'GET',
    `/api/v1/runs/${encodeURIComponent(run)}/timeline`,
    { signal },
  );

/** Schedules of live flows. */
const SCHEDULES = '/api/v1/schedules';
const scheduleAt = (flow: string, node: string): string =>
  `${SCHEDULES}/${encodeURIComponent(flow)}/${encodeURIComponent(node)}`;
const schedule = async () => (await import('#shared/api.ts')).Schedule;

export const listSchedules = (): Promise<Schedule[]> =>
  call(async () => (await import('./service-schemas.ts')).Schedules, 'GET', SCHEDULES);

/** Times that come while it is paused start nothing. */
export const pauseSchedule = (flow: string, node: string): Promise<Schedule> =>
  call(schedule, 'POST', `${scheduleAt(flow, node)}/pause`);

export const resumeSchedule = (flow: string, node: string): Promise<Schedule> =>
  call(schedule, 'POST', `${scheduleAt(flow, node)}/resume`);

/** Starts a run of the live version now, besides its times. */
export const runSchedule = (flow: string, node: string): Promise<{ run: string }> =>
  call((s) => s.Begun, 'POST', `${scheduleAt(flow, node)}/run`);
