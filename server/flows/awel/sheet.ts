import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { allNodes, flowCalls, operatorInfo } from '#engine/check';
import { isRecord } from '#shared/json.ts';
import { FORM_TRIGGER } from '../service/trigger-routes.ts';
import { ownEntry } from './awel-flow.ts';

/** The needs of a flow on its server, to be read before it goes live. */
export interface Sheet {
  readonly triggers: readonly SheetTrigger[];
  /** Hosts that it sends requests to; `*` for an address that is known only at run time. */
  readonly hosts: readonly string[];
  readonly secrets: readonly string[];
  /** Nodes that run code. */
  readonly code: readonly string[];
  /** Other flows that it calls. */
  readonly calls: readonly string[];
  /** Nodes without a counterpart here, to be replaced before it can go live. */
  readonly placeholders: readonly string[];
}

interface SheetTrigger {
  readonly node: string;
  readonly path: string | null;
  readonly methods: readonly string[];
  readonly auth: unknown;
  /** Anyone could call it in DB-GPT; it now requires an API key, because open access was not allowed. */
  readonly closed: boolean;
}

export function sheetOf(flow: Flow, closed: ReadonlySet<string>, catalog: Catalog): Sheet {
  const nodes = Object.entries(allNodes(flow));
  const infoOf = (node: FlowNode) => operatorInfo(catalog, node.operator);
  const ids = (fits: (node: FlowNode) => boolean) => nodes.flatMap(([id, node]) => (fits(node) ? [id] : []));
  return {
    triggers: nodes
      .filter(([, node]) => infoOf(node)?.trigger)
      .map(([id, node]) => triggerOf(id, node, closed.has(id))),
    hosts: distinct(nodes.flatMap(([, node]) => addressesOf(node).map(hostOf))),
    secrets: distinct(nodes.flatMap(([, { params }]) => secretsIn(params, 0))),
    code: ids(({ operator }) => operator.startsWith('code.')),
    calls: distinct(flowCalls(flow, catalog).map((call) => call.flow)),
    placeholders: ids((node) => infoOf(node) === undefined),
  };
}

function triggerOf(id: string, { params = {} }: FlowNode, closed: boolean): SheetTrigger {
  const { path, methods, auth = 'api-key' } = params;
  return {
    node: id,
    path: typeof path === 'string' ? path : null,
    methods: Array.isArray(methods) ? methods.map(String) : [],
    auth,
    closed,
  };
}

/**
 * A trigger that anyone may call stays open only if it already is (`before`), or if allowed (`open`); otherwise it
 * requires an API key. Returns the flow with the triggers that were closed.
 */
export function closeTriggers(
  flow: Flow,
  { before, open }: { before: Flow | undefined; open: boolean },
): { flow: Flow; closed: ReadonlySet<string> } {
  if (open) return { flow, closed: new Set() };
  const closed = Object.entries(flow.nodes)
    .filter(([id, node]) => isOpen(node) && !isOpen(ownEntry(before?.nodes, id)))
    .map(([id]) => id);
  const shut = closed.map((id) => {
    const node = flow.nodes[id] as FlowNode;
    // A form is always open, so it is turned off.
    if (node.operator === FORM_TRIGGER) return [id, { ...node, disabled: true }] as const;
    return [id, { ...node, params: { ...node.params, auth: 'api-key' } }] as const;
  });
  return {
    flow: { ...flow, nodes: { ...flow.nodes, ...Object.fromEntries(shut) } },
    closed: new Set(closed),
  };
}

function isOpen(node: FlowNode | undefined): boolean {
  if (node?.operator === FORM_TRIGGER) return node.disabled !== true;
  if (node?.operator !== 'trigger.http') return false;
  const auth = node.params?.['auth'];
  return auth === 'none' || (isRecord(auth) && auth['type'] === 'none');
}

/** The hosts that a node sends requests to. */
function addressesOf({ operator, params = {} }: FlowNode): unknown[] {
  if (operator === 'http.request') return [params['url']];
  if (operator !== 'agent.run' || !isRecord(params['agent'])) return [];
  const { tools } = params['agent'];
  if (Array.isArray(tools)) return tools.filter(isRecord).flatMap(toolAddress);
  return tools === undefined ? [] : [tools];
}

/** A tool that is a flow, a space or a connection has no address; for others the address is the value, or part of it. */
function toolAddress({ type, value }: Readonly<Record<string, unknown>>): unknown[] {
  if (type === 'flow' || type === 'knowledge' || type === 'database') return [];
  return [isRecord(value) ? value['url'] : value];
}

function hostOf(url: unknown): string {
  const [, host] = (typeof url === 'string' && /^https?:\/\/([^/?#{}\s]+)(?:[/?#]|$)/i.exec(url)) || [];
  return host ?? '*';
}

/** JSON is nested at most 200 levels deep; the reader of the file has checked that. */
function secretsIn(value: unknown, depth: number): string[] {
  if (depth > 200) return [];
  if (Array.isArray(value)) return value.flatMap((one) => secretsIn(one, depth + 1));
  if (!isRecord(value)) return [];
  const { $secret } = value;
  const own = typeof $secret === 'string' ? [$secret] : [];
  return [...own, ...Object.values(value).flatMap((one) => secretsIn(one, depth + 1))];
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}
