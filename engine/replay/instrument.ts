import type { Call } from '../operator.ts';
import type { Plan, Step } from '../plan/plan.ts';
import type { Attempt } from '../run/state.ts';

/**
 * A plan whose steps that run code which is not ours, and not pure, go through `around`: they may ask the outside without
 * going through the host. In a durable run, what such a step waits for goes through the run's context.
 */
export function instrument(
  plan: Plan,
  around: (step: Step, call: Attempt) => unknown,
  durable: boolean,
): Plan {
  const isTold = (step: Step): boolean =>
    looksOutside(step) && !(durable && step.operator.effects === 'wait');
  if (!plan.steps.some(isTold)) return plan;
  const steps = plan.steps.map((step) =>
    isTold(step) ? { ...step, run: (call: Call) => around(step, call as Attempt) } : step,
  );
  return { ...plan, steps, leaves: plan.leaves.map((leaf) => steps[leaf.index] as Step) };
}

function looksOutside({ operator, run }: Step): boolean {
  return operator.foreign === true && operator.effects !== 'pure' && run !== undefined;
}

/** How such a step is called in a record. */
export function stepName({ step, attempt, index }: Attempt): string {
  return `${step.id} (attempt ${attempt}${index === undefined ? '' : `, item ${index}`})`;
}
