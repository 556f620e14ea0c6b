import { createHash } from 'node:crypto';
import type { Plan } from '#engine';
import {
  CHAT_TRIGGER,
  flowTool,
  type FlowTool,
  requestSchema,
  triggerType,
} from '../agents/tools/flow-tool.ts';
import type { FlowService, LiveFlow } from '../flows/flow-types.ts';
import type { Scope } from '../security/scopes.ts';

/** Triggers that a key alone opens; a signature or a password is asked for on their own paths only. */
const OPEN_TO_KEYS: ReadonlySet<unknown> = new Set(['none', 'api-key']);

/**
 * The live flows that a caller may use as tools: HTTP triggers that say what they take, and with the scope `chat` those that
 * one can chat with. A tool is named `<flow>-<trigger>`, whatever else the flow can be called by, so that a name stays when a
 * trigger is added or the caller's scopes change.
 */
export function offeredTools(flows: FlowService, scopes: ReadonlySet<Scope>): FlowTool[] {
  return flows.list().flatMap(({ id }) => toolsOf(flows.live(id), scopes));
}

/** A tool by its name, or by its flow's id where that has only one: the name that such tools had in version 0.1. */
export function findTool(flows: FlowService, scopes: ReadonlySet<Scope>, name: string): FlowTool | undefined {
  const only = toolsOf(flows.live(name), scopes);
  if (only.length === 1) return only[0];
  return offeredTools(flows, scopes).find((tool) => tool.name === name);
}

function toolsOf(flow: LiveFlow | undefined, scopes: ReadonlySet<Scope>): FlowTool[] {
  if (flow === undefined) return [];
  const triggers = [...flow.compiled.plans.values()].filter((plan) => isOffered(plan, scopes));
  return triggers.map(({ trigger }) => ({ ...flowTool(flow, trigger), name: toolName(flow.id, trigger) }));
}

/** Longest name that providers of models take for a tool, in characters. */
const MAX_NAME = 64;

function toolName(flow: string, trigger: string): string {
  const name = `${flow}-${trigger}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_NAME - hash.length - 1)}-${hash}`;
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
