import { allSteps, type Plan } from '#engine';
import { allNodes } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { FORM_TRIGGER } from './trigger-routes.ts';
import type { LiveFlow } from './flow-types.ts';

/** Its answer is read as it comes, and tells that it waits. */
const CHAT_TRIGGER = 'trigger.chat';

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
    waitsLong(plan) ||
    asksForTools(flow, plan)
  );
}

/** Whether an agent of a node must ask people before it uses a tool. */
function asksForTools(flow: Flow, plan: Plan): boolean {
  if (plan.steps[plan.triggerStep]?.type === CHAT_TRIGGER) return false;
  const nodes = allNodes(flow);
  for (const { id, type } of allSteps(plan)) {
    if (type !== 'agent.run') continue;
    const { agent } = (nodes[id]?.params ?? {}) as { agent?: { tools?: unknown } };
    const tools = Array.isArray(agent?.tools) ? (agent.tools as unknown[]) : [];
    if (tools.some((tool) => isRecord(tool) && tool['needsApproval'] === true)) return true;
  }
  return false;
}

/** Whether runs may wait for people or times, in a body or not. */
export function waitsLong(plan: Plan): boolean {
  for (const { operator } of allSteps(plan))
    if (operator.effects === 'wait' && operator.brief !== true) return true;
  return false;
}
