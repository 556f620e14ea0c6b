import type { Catalog } from '#shared/catalog.ts';
import {
  type Flow,
  type FlowBody,
  type FlowEdge,
  formatOf,
  type FlowNode,
  ID_PATTERN,
} from '#shared/flow.ts';
import { mapNodes, placedNodes, usedIds } from '../flow/bodies.ts';
import { type CheckContext, checkContext, contextsOf, type NodeView } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';

/**
 * A flow of another shape that does the same. `notes` say in sentences what may still differ, for the person who decides; without
 * notes every answer stays as it was.
 */
export type Reshaped<T extends object> =
  | ({ readonly ok: true; readonly notes: readonly string[] } & T)
  | { readonly ok: false; readonly reason: string };

/** The refusal of a change, with a sentence that says why. */
export function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** The nodes and edges of a flow or of a body. */
export interface FlowPart {
  readonly nodes: Record<string, FlowNode>;
  readonly edges: FlowEdge[];
}

export const NOTHING_ELSE = { routes: [], variables: undefined, secrets: undefined };

/** The context of the flow, or of the body, in which a node is. */
export function contextWith(flow: Flow, id: string, catalog: Catalog): CheckContext | undefined {
  const root = checkContext(flow, catalog, NOTHING_ELSE, () => {});
  for (const context of contextsOf(root)) {
    const view = context.nodes.get(id);
    if (view && !isStart(context, id)) return context;
  }
  return undefined;
}

/** The context of the whole flow. */
export function rootOf(context: CheckContext): CheckContext {
  return context.outside ? rootOf(context.outside.context) : context;
}

/** Whether the node stands for the start of the body. */
export function isStart({ outside, nodes }: CheckContext, id: string): boolean {
  return outside !== undefined && nodes.keys().next().value === id;
}

/** A node with its body and the context that it is in. */
export interface Container {
  readonly context: CheckContext;
  readonly view: NodeView;
  readonly body: FlowBody;
  readonly inner: CheckContext;
}

/** The node with its body; undefined if there is no such node, or it has none. */
export function containerOf(flow: Flow, id: string, catalog: Catalog): Container | undefined {
  const context = contextWith(flow, id, catalog);
  const view = context?.nodes.get(id);
  const inner = context?.bodies.get(id);
  return context && view?.node.body && inner ? { context, view, body: view.node.body, inner } : undefined;
}

/** The flow with the nodes and edges of a graph changed: those of the body of a node, or its own if there is none. */
export function changePart(flow: Flow, node: string | undefined, change: (part: FlowPart) => FlowPart): Flow {
  const changed =
    node === undefined
      ? { ...flow, ...change(flow) }
      : {
          ...flow,
          nodes: mapNodes(flow.nodes, (id, one) =>
            id === node && one.body ? { ...one, body: { ...one.body, ...change(one.body) } } : one,
          ),
        };
  return { ...changed, format: formatOf(changed) > flow.format ? formatOf(changed) : flow.format };
}

/** An id that is free in the whole flow. */
export function freeId(flow: Pick<Flow, 'nodes'>, base: string, alsoTaken: Iterable<string> = []): string {
  const used = new Set([...usedIds(flow), ...alsoTaken]);
  let id = ID_PATTERN.test(base) ? base : 'node';
  for (let n = 2; used.has(id); n++) id = `${base}_${n}`;
  return id;
}

/** How many bodies are in each other in these nodes; 0 if there are none. */
export function depthOf(nodes: Readonly<Record<string, FlowNode>>): number {
  return Math.max(
    0,
    ...[...placedNodes(nodes)].map(({ node, within }) => within.length + (node.body ? 1 : 0)),
  );
}

/** How many bodies are around the nodes of a context. */
export function depthAround({ outside }: CheckContext): number {
  return outside === undefined ? 0 : 1 + depthAround(outside.context);
}

/** The nodes whose output can be the result of a body. */
export function endsOf(context: CheckContext): NodeView[] {
  return [...context.nodes.values()].filter(
    (view) => view.outgoing.length === 0 && !view.info?.sink && plainOutputs(view.ports).length > 0,
  );
}

/** What surely ran, and which outputs surely have a value, whenever a node runs. */
export interface Before {
  readonly ran: ReadonlySet<string>;
  readonly live: ReadonlySet<string>;
}

/** What is sure before a node runs, by the edges that must have brought a value, around its body too. */
export function surelyBefore(context: CheckContext, id: string): Before {
  const ran = new Set<string>();
  const live = new Set<string>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const view = context.nodes.get(at);
    if (!view) continue;
    for (const edge of sureEdges(view)) {
      live.add(`${edge.from}.${edge.fromPort}`);
      if (!ran.has(edge.from)) open.push(edge.from);
      ran.add(edge.from);
    }
  }
  for (const start of onlyStart(context)) {
    ran.add(start.id);
    for (const { name } of start.ports.outputs) live.add(`${start.id}.${name}`);
  }
  if (!context.outside) return { ran, live };
  const around = surelyBefore(context.outside.context, context.outside.node);
  return { ran: new Set([...ran, ...around.ran]), live: new Set([...live, ...around.live]) };
}

/** The edges that all bring a value if the node runs. */
function sureEdges({ incoming, ports }: NodeView) {
  return ports.inputs.flatMap(({ name, required, many }) => {
    const edges = incoming.filter((edge) => edge.toPort === name);
    const isOnly = edges.length === incoming.length;
    if (many === 'all') return edges;
    return edges.length === 1 && (required || isOnly) ? edges : [];
  });
}

/** The trigger of a flow with one, the start of a body. */
function onlyStart({ nodes }: CheckContext): NodeView[] {
  const [start, second] = [...nodes.values()].filter(({ info }) => info?.trigger);
  return start && !second ? [start] : [];
}
