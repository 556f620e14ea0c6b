import type { Plan } from '../plan/plan.ts';
import type { StartOptions } from './types.ts';

/** The limit of a run in milliseconds; 0 for none. */
export function timeLimit({ settings }: Plan, { timeoutMs = 0, atMostMs }: StartOptions): number {
  const limit = settings.timeoutMs ?? timeoutMs;
  return atMostMs === undefined || (limit > 0 && limit < atMostMs) ? limit : atMostMs;
}
