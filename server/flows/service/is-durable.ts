import { allSteps, type Plan } from '#engine';
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
function asksForTools({ nodes }: Flow, plan: Plan): boolean {
  const start = plan.steps[plan.triggerStep]?.type;
  return start !== CHAT_TRIGGER && asksIn(nodes, new Set(Array.from(allSteps(plan), ({ id }) => id)));
}

function asksIn(nodes: Flow['nodes'], planned: ReadonlySet<string>): boolean {
  return Object.entries(nodes).some(([id, { operator, params, body }]) => {
    if (!planned.has(id)) return false;
    if (body !== undefined && asksIn(body.nodes, planned)) return true;
    const { tools } = (operator === 'agent.run' && isRecord(params?.['agent']) ? params['agent'] : {}) as {
      readonly tools?: unknown;
    };
    return Array.isArray(tools) && tools.some((tool) => isRecord(tool) && tool['needsApproval'] === true);
  });
}

/** Whether runs may wait for people or times, in a body or not. */
export function waitsLong(plan: Plan): boolean {
  for (const { operator } of allSteps(plan))
    if (operator.effects === 'wait' && operator.brief !== true) return true;
  return false;
}
