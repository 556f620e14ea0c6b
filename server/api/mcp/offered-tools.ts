import { createHash } from 'node:crypto';
import type { Plan } from '#engine';
import {
  CHAT_TRIGGER,
  flowTool,
  type FlowTool,
  requestSchema,
  triggerType,
} from '../../chat/agents/tools/flow-tool.ts';
import type { FlowService, LiveFlow } from '../../flows/service/flow-types.ts';
import type { Scope } from '../../access/security/scopes.ts';

/** Triggers that need only a key; those with a signature or a password can be called only at their own paths. */
const OPEN_TO_KEYS: ReadonlySet<unknown> = new Set(['none', 'api-key']);

/** The caller, and the requested tools. */
export interface Offer {
  readonly flows: FlowService;
  readonly scopes: ReadonlySet<Scope>;
  /** Only flows of this group (`settings.mcpGroups`); undefined for all. */
  readonly group: string | undefined;
}

/**
 * The live flows that a caller may use as tools, unless their settings say otherwise (`mcp: false`): HTTP triggers that declare their input, and with the scope `chat`
 * flows that can be chatted with. A tool is named `<flow>-<trigger>`, regardless of the flow's other triggers, so that
 * the name stays when a trigger is added or the caller's scopes change.
 */
export function offeredTools(offer: Offer): FlowTool[] {
  return offer.flows.list().flatMap(({ id }) => toolsOf(id, offer));
}

/** A tool by its name, or by its flow's id if the flow has only one: the name of such tools in version 0.1. */
export function findTool(offer: Offer, name: string): FlowTool | undefined {
  const only = toolsOf(name, offer);
  if (only.length === 1) return only[0];
  return offeredTools(offer).find((tool) => tool.name === name);
}

/** Whether a live flow is in the group. */
export function hasGroup(flows: FlowService, group: string): boolean {
  return flows.list().some(({ id }) => isIn(flows.live(id), group));
}

function isIn(flow: LiveFlow | undefined, group: string | undefined): boolean {
  const { mcp = true, mcpGroups = [] } = flow?.flow.settings ?? {};
  return mcp && (group === undefined || mcpGroups.includes(group));
}

function toolsOf(id: string, { flows, scopes, group }: Offer): FlowTool[] {
  const flow = flows.live(id);
  if (flow === undefined || !isIn(flow, group)) return [];
  const triggers = [...flow.compiled.plans.values()].filter((plan) => isOffered(plan, scopes));
  return triggers.map(({ trigger }) => ({ ...flowTool(flow, trigger), name: toolName(flow.id, trigger) }));
}

/** Longest tool name that model providers accept, in characters. */
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
