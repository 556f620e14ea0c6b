import { isJournaled, WeftError } from '#engine';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';

/**
 * The most that a run may record. `size` is the characters of all records; a long value counts as the hash under which
 * it is stored.
 */
export interface RecordLimits {
  readonly steps: number;
  readonly size: number;
}

/** Each pass has all records of its run in memory. */
export const RECORD_LIMITS: RecordLimits = { steps: 20_000, size: 64_000_000 };

/** Throws `durable_too_large` for a plan whose steps cannot all be recorded, `trigger_not_found`. */
export function checkSize({ id, compiled }: LiveFlow, trigger: string, limits = RECORD_LIMITS): void {
  const plan = compiled.plans.get(trigger);
  if (plan === undefined)
    throw new ServiceError('trigger_not_found', `The flow ${id} has no trigger ${trigger}.`);
  const recorded = plan.steps.filter((step, i) => i !== plan.triggerStep && isJournaled(step)).length;
  if (recorded <= limits.steps) return;
  throw new ServiceError(
    'durable_too_large',
    `The flow ${id} has ${recorded} steps that a durable run must record; at most ${limits.steps} are possible. Move some of them into a separate flow and call it.`,
  );
}

/** The error `durable_too_large` for a run that would record this much; undefined if it may. */
export function tooLarge(limits: RecordLimits, { steps, size }: RecordLimits): WeftError | undefined {
  if (steps <= limits.steps && size <= limits.size) return undefined;
  const what =
    steps > limits.steps ? `more than ${limits.steps} steps` : `more than ${limits.size} characters`;
  return new WeftError(
    'durable_too_large',
    `The run would record ${what}. Start a separate run for each batch of the work, or return smaller results.`,
  );
}
