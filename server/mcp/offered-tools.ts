import type { Plan } from '#engine';
import {
  CHAT_TRIGGER,
  flowTool,
  type FlowTool,
  requestSchema,
  triggerType,
} from '../agents/tools/flow-tool.ts';
import type { Context, LiveFlow } from '../context.ts';
import type { Scope } from '../security/scopes.ts';

/** Triggers that a key alone opens; a signature or a password is asked for on their own paths only. */
const OPEN_TO_KEYS: ReadonlySet<unknown> = new Set(['none', 'api-key']);

/**
 * The live flows that a caller may use as tools: HTTP triggers that say what they take, and with the scope `chat` those that
 * one can chat with. A flow with one of them is called by its id, with several by `<id>-<trigger>`.
 */
export function offeredTools(flows: Context['flows'], scopes: ReadonlySet<Scope>): FlowTool[] {
  return flows.list().flatMap(({ id }) => {
    const live = flows.live(id);
    return live === undefined ? [] : toolsOf(live, scopes);
  });
}

function toolsOf(flow: LiveFlow, scopes: ReadonlySet<Scope>): FlowTool[] {
  const triggers = [...flow.compiled.plans.values()].filter((plan) => isOffered(plan, scopes));
  return triggers.map(({ trigger }) => {
    const tool = flowTool(flow, trigger);
    return triggers.length === 1 ? tool : { ...tool, name: `${flow.id}-${trigger}` };
  });
}

function isOffered(plan: Plan, scopes: ReadonlySet<Scope>): boolean {
  const type = triggerType(plan);
  if (type === CHAT_TRIGGER) return scopes.has('chat');
  return (
    type === 'trigger.http' &&
    requestSchema(plan) !== undefined &&
    OPEN_TO_KEYS.has(plan.params['auth'] ?? 'api-key')
  );
}
