import './zod-config.ts';
import { Schedule } from '#shared/api.ts';
import { recordsOf } from './records.ts';

/** Answers for the list of flows that its first picture does not wait for. */
export { FlowActivity, FlowUse } from '#shared/api.ts';
export const Schedules = recordsOf(Schedule);
