import { z } from 'zod';
import { RunEventPage, RunPage } from '#shared/api.ts';
import { RunSummary } from '#shared/run-event.ts';
import { call } from './client.ts';

export const listRuns = (flow: string | undefined, limit = 50): Promise<RunPage> =>
  call(RunPage, 'GET', `/api/v1/runs?limit=${limit}${flow ? `&flow=${encodeURIComponent(flow)}` : ''}`);

export const getRun = (id: string): Promise<RunSummary> =>
  call(RunSummary, 'GET', `/api/v1/runs/${encodeURIComponent(id)}`);

export const getRunEvents = (id: string, after = 0): Promise<RunEventPage> =>
  call(RunEventPage, 'GET', `/api/v1/runs/${encodeURIComponent(id)}/events?after=${after}`);

export const cancelRun = (id: string): Promise<unknown> =>
  call(z.unknown(), 'POST', `/api/v1/runs/${encodeURIComponent(id)}/cancel`);
