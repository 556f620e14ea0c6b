import type { DurableRuns } from '../durable/durable-runs.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { Due } from './due.ts';
import type { ScheduleSpec } from '../../base/requests/schedule-spec.ts';

/** The part of the durable runs that schedules use. */
export type ScheduledRuns = Pick<DurableRuns, 'start' | 'list' | 'ended'>;

/** The input of a scheduled run. */
export function scheduledRun(flow: LiveFlow, node: string, { at, late }: Due, input: unknown): RunRequest {
  const output = { at: new Date(at).toISOString(), late, input };
  const request = { method: 'SCHEDULE', query: {}, params: {}, headers: {}, body: output };
  return { flow, trigger: node, request, output, source: 'schedule' };
}

/**
 * Starts one run for each time; a time that already has its run, from before a crash or before the clock was set back,
 * gets no second one. Returns how many were skipped because the previous one was in progress. Late runs get time to end
 * one after the other.
 */
export async function startDurably(
  durable: ScheduledRuns,
  flow: LiveFlow,
  node: string,
  { due, spec }: { readonly due: readonly Due[]; readonly spec: ScheduleSpec },
): Promise<number> {
  let leftOut = 0;
  let before: string | undefined;
  for (const one of due) {
    if (spec.overlap === 'skip' && before !== undefined) await itsEnd(durable, before);
    if (spec.overlap === 'skip' && (await isInProgress(durable, flow.id, node))) leftOut++;
    else {
      const key = `schedule:${flow.id}:${node}:${one.at}`;
      before = (await durable.start(scheduledRun(flow, node, one, spec.input), { key })).run;
    }
  }
  return leftOut;
}

const MANY = 1000;
const END_MS = 60_000;

/** Waits for the end of a run, at most a minute. */
async function itsEnd(durable: ScheduledRuns, run: string): Promise<void> {
  const late = AbortSignal.timeout(END_MS);
  try {
    await durable.ended(run, late);
  } catch (error) {
    if (!late.aborted) throw error;
  }
}

async function isInProgress(durable: ScheduledRuns, flow: string, node: string): Promise<boolean> {
  const runs = await durable.list({ flow, status: ['pending', 'running', 'waiting'], limit: MANY });
  return runs.some(({ trigger, source }) => trigger === node && source === 'schedule');
}
