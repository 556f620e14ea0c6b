import type { LiveFlow } from './flow-types.ts';

/**
 * Whether runs of this trigger outlive the process: as the flow says; otherwise if they wait for people or times, or if
 * no caller waits for the answer.
 */
export function isDurable({ flow, compiled }: LiveFlow, trigger: string): boolean {
  const wanted = flow.settings?.durable;
  if (wanted !== undefined) return wanted;
  const plan = compiled.plans.get(trigger);
  if (plan === undefined) return false;
  return (
    plan.params['answer'] === 'immediately' ||
    plan.steps[plan.triggerStep]?.type === 'trigger.schedule' ||
    plan.steps.some(({ operator }) => operator.effects === 'wait')
  );
}
