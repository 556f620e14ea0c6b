import type { Call } from '../base/operator.ts';
import type { Plan, Step } from '../plan/plan.ts';
import type { Attempt } from '../run/state.ts';

/**
 * Wraps the steps of a plan that run user code that is not pure in `around`, since such code can reach the outside without
 * the host. In a durable run, the waits of such a step go through the run's context.
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

/** How a recording names the call of such a step. */
export function stepName({ step, attempt, index }: Attempt): string {
  return `${step.id} (attempt ${attempt}${index === undefined ? '' : `, item ${index}`})`;
}
