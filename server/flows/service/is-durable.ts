import { allSteps, type Plan } from '#engine';
import { FORM_TRIGGER } from './trigger-routes.ts';
import type { LiveFlow } from './flow-types.ts';

/**
 * Whether runs of this trigger outlive the process: according to the flow's setting; without it, if they wait for people or times, or if
 * no caller waits for the answer.
 */
export function isDurable({ flow, compiled }: LiveFlow, trigger: string): boolean {
  const wanted = flow.settings?.durable;
  if (wanted !== undefined) return wanted;
  const plan = compiled.plans.get(trigger);
  if (plan === undefined) return false;
  const { type, operator: start } = plan.steps[plan.triggerStep] ?? {};
  return (
    plan.params['answer'] === 'immediately' ||
    type === 'trigger.schedule' ||
    start?.listen !== undefined ||
    (type === FORM_TRIGGER && plan.params['after'] !== 'result') ||
    waitsLong(plan)
  );
}

/** Whether runs may wait for people or times, in a body or not. */
export function waitsLong(plan: Plan): boolean {
  for (const { operator } of allSteps(plan))
    if (operator.effects === 'wait' && operator.brief !== true) return true;
  return false;
}
