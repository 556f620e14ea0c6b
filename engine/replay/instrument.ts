import type { Call } from '../base/operator.ts';
import type { Plan, Step, StepBody } from '../plan/plan.ts';
import type { Attempt } from '../run/state.ts';

/**
 * Wraps the steps of a plan, and of the bodies in it, that run user code that is not pure in `around`, since such code can reach the
 * outside without the host. In a durable run, the waits of such a step go through the run's context.
 */
export function instrument(
  plan: Plan,
  around: (step: Step, call: Attempt) => unknown,
  durable: boolean,
): Plan {
  const isTold = (step: Step): boolean =>
    looksOutside(step) && !(durable && step.operator.effects === 'wait');
  if (!plan.steps.some((step) => step.body !== undefined || isTold(step))) return plan;
  const steps = plan.steps.map((step) => {
    const body = step.body && bodyWith(step.body);
    if (!isTold(step)) return body === step.body ? step : { ...step, body };
    return { ...step, body, run: (call: Call) => around(step, call as Attempt) };
  });
  if (steps.every((step, i) => step === plan.steps[i])) return plan;
  return { ...plan, steps, leaves: plan.leaves.map((leaf) => steps[leaf.index] as Step) };

  function bodyWith(body: StepBody): StepBody {
    const inner = instrument(body.plan, around, durable);
    return inner === body.plan ? body : { ...body, plan: inner };
  }
}

function looksOutside({ operator, run }: Step): boolean {
  return operator.foreign === true && operator.effects !== 'pure' && run !== undefined;
}

/** How a recording names the call of such a step. */
export function stepName({ step, attempt, index }: Attempt): string {
  return `${step.id} (attempt ${attempt}${index === undefined ? '' : `, item ${index}`})`;
}
