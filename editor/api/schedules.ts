import { z } from 'zod';
import type { Schedule } from '#shared/api.ts';
import { call } from './client.ts';

/** Schedules of live flows. */
const ALL = '/api/v1/schedules';
const at = (flow: string, node: string): string =>
  `${ALL}/${encodeURIComponent(flow)}/${encodeURIComponent(node)}`;
const schema = async () => (await import('#shared/api.ts')).Schedule;

export const listSchedules = (): Promise<Schedule[]> => call(async () => z.array(await schema()), 'GET', ALL);

/** Times that come while it is paused start nothing. */
export const pauseSchedule = (flow: string, node: string): Promise<Schedule> =>
  call(schema, 'POST', `${at(flow, node)}/pause`);

export const resumeSchedule = (flow: string, node: string): Promise<Schedule> =>
  call(schema, 'POST', `${at(flow, node)}/resume`);

/** Starts a run of the live version now, besides its times. */
export const runSchedule = (flow: string, node: string): Promise<{ run: string }> =>
  call((s) => s.Begun, 'POST', `${at(flow, node)}/run`);
