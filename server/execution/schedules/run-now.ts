import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { ScheduleSpec } from '../../base/requests/schedule-spec.ts';
import { withPlace } from '../runs/run-limits.ts';
import type { Starting } from './scheduler.ts';
import { scheduledRun } from './start-durably.ts';

interface Now {
  readonly at: number;
  readonly apiKey: RunRequest['apiKey'];
  /** A repeat with the same key starts no second durable run. */
  readonly once: string | undefined;
}

/**
 * Starts a run of a schedule at once, whether or not another one is in progress or the schedule is paused; its next time stays
 * as it is. Throws the errors of a start.
 */
export async function runNow(
  {
    runs,
    durable,
    hold,
  }: Pick<Starting, 'runs' | 'hold'> & { readonly durable: Pick<Starting['durable'], 'start'> },
  flow: LiveFlow,
  { node, spec }: { readonly node: string; readonly spec: ScheduleSpec },
  { at, apiKey, once }: Now,
): Promise<string> {
  const request = { ...scheduledRun(flow, node, { at, late: false }, spec.input), apiKey };
  if (isDurable(flow, node)) {
    const key = once === undefined ? undefined : `schedule-now:${flow.id}:${node}:${once}`;
    return (await durable.start(request, { key })).run;
  }
  const placed = await withPlace(runs, request);
  return hold(flow, () => runs.start(placed)).id;
}
