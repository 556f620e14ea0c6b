import { isJournaled } from '#engine';
import type { LiveFlow } from '../context.ts';
import { ServiceError } from '../errors.ts';

/** Throws `durable_too_large` for a plan whose steps cannot all be recorded, `trigger_not_found`. */
export function checkSize({ id, compiled }: LiveFlow, trigger: string, maxSteps: number): void {
  const plan = compiled.plans.get(trigger);
  if (plan === undefined)
    throw new ServiceError('trigger_not_found', `The flow ${id} has no trigger ${trigger}.`);
  const recorded = plan.steps.filter((step) => isJournaled(step)).length;
  if (recorded <= maxSteps) return;
  throw new ServiceError(
    'durable_too_large',
    `The flow ${id} has ${recorded} steps that a durable run must record; at most ${maxSteps} are possible. Put a part of them into a flow of its own and call it.`,
  );
}
