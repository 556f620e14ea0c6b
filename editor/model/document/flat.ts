import type { Flow, FlowBody, FlowEdge, FlowNode } from '#shared/flow.ts';
import { current, isDraft } from 'immer';
import { BODY_START, hasBodies } from '#engine/check';
import type { Doc } from './document.ts';

/** The nodes and edges of a flow, or of a body in it. */
export type Graph = Pick<Flow, 'nodes' | 'edges'>;

interface Flat {
  /** All nodes side by side, with a node for the start of each body, and all edges. */
  readonly flow: Flow;
  /** By the id of a node in a body, the container that holds it. */
  readonly holders: ReadonlyMap<string, string>;
}

const known = new WeakMap<Flow, Flat>();
const NO_HOLDERS: ReadonlyMap<string, string> = new Map();

/**
 * The flow as the canvas draws it: the nodes of bodies are among its nodes, their starts too. A flow without bodies is itself. Ids
 * are unique in a flow with its bodies, so nothing gets lost.
 */
export function flatFlow(flow: Flow): Flow {
  return flat(flow).flow;
}

/** The same with its layout, which has the places of all nodes by id. */
export function flatDoc(doc: Doc): Doc {
  const flow = flatFlow(doc.flow);
  return flow === doc.flow ? doc : { ...doc, flow };
}

/** A change of what `flatFlow` gave, such as without an edge, for who draws it. */
export function changedFlat(flow: Flow, change: Partial<Graph>): Flow {
  const before = flat(flow);
  const changed = { ...before.flow, ...change };
  known.set(changed, { flow: changed, holders: before.holders });
  return changed;
}

/** A node of the flow or of a body; also the start of a body. */
export function nodeIn(flow: Flow, id: string): FlowNode | undefined {
  const { nodes } = flatFlow(flow);
  return Object.hasOwn(nodes, id) ? nodes[id] : undefined;
}

/** Whether a node of the flow has a body; known without a look at each node once the flow is flat. */
export function hasFrames(flow: Flow): boolean {
  return flat(flow).holders.size > 0;
}

const counts = new WeakMap<Graph['nodes'], number>();

/** How many nodes stand in a flow itself. Each button asks, at each change of any store, so they are counted once. */
export function nodeCount({ nodes }: Pick<Graph, 'nodes'>): number {
  const before = counts.get(nodes);
  if (before !== undefined) return before;
  const count = Object.keys(nodes).length;
  counts.set(nodes, count);
  return count;
}

/** The container in whose body a node is; undefined for a node of the flow itself. */
export function holderOf(flow: Flow, id: string): string | undefined {
  return flat(flow).holders.get(id);
}

/** The containers around a node, innermost first. */
export function holdersOf(flow: Flow, id: string): string[] {
  const { holders } = flat(flow);
  const found: string[] = [];
  for (let at = holders.get(id); at !== undefined; at = holders.get(at)) found.push(at);
  return found;
}

/** The ids of everything in the body of a node, however deep, starts included. */
export function idsWithin({ body }: Pick<FlowNode, 'body'>): string[] {
  if (!body) return [];
  const inner = Object.entries(body.nodes).flatMap(([id, node]) => [id, ...idsWithin(node)]);
  return [body.start, ...inner];
}

/** How many bodies are in each other in these nodes. */
export function depthOf(nodes: Graph['nodes']): number {
  return Math.max(0, ...Object.values(nodes).map(({ body }) => (body ? 1 + depthOf(body.nodes) : 0)));
}

export function isStart(node: Pick<FlowNode, 'operator'> | undefined): boolean {
  return node?.operator === BODY_START;
}

/** The nodes and edges among which a node is: those of the flow, or of a body. It may be a draft. */
export function graphOf(graph: Graph, id: string): Graph | undefined {
  if (Object.hasOwn(graph.nodes, id)) return graph;
  for (const { body } of Object.values(graph.nodes)) {
    if (!body) continue;
    const found = body.start === id ? body : graphOf(body, id);
    if (found) return found;
  }
  return undefined;
}

/** The body of a container, or the flow itself. */
export function graphIn(flow: Graph, holder: string | undefined): Graph | undefined {
  if (holder === undefined) return flow;
  return graphOf(flow, holder)?.nodes[holder]?.body;
}

/** The flow itself and each body in it. */
export function* graphsOf(graph: Graph): Generator<Graph> {
  yield graph;
  for (const { body } of Object.values(graph.nodes)) if (body) yield* graphsOf(body);
}

/** Of a selection, what is not within another part of it. */
export function outermost(flow: Flow, ids: Iterable<string>): string[] {
  const chosen = new Set(ids);
  return [...chosen].filter((id) => !holdersOf(flow, id).some((holder) => chosen.has(holder)));
}

function flat(flow: Flow): Flat {
  // A draft changes while it stays the same object.
  if (isDraft(flow)) return flat(current(flow));
  const found = known.get(flow);
  if (found) return found;
  const made = hasBodies(flow) ? flatten(flow) : { flow, holders: NO_HOLDERS };
  known.set(flow, made);
  known.set(made.flow, made);
  return made;
}

function flatten(flow: Flow): Flat {
  const nodes: Record<string, FlowNode> = {};
  const holders = new Map<string, string>();
  const edges: (readonly FlowEdge[])[] = [];
  const add = (graph: Graph, holder: string | undefined): void => {
    edges.push(graph.edges);
    for (const [id, node] of Object.entries(graph.nodes)) {
      nodes[id] = node;
      if (holder !== undefined) holders.set(id, holder);
      if (!node.body) continue;
      nodes[node.body.start] = startNode(node.body, node.operator);
      holders.set(node.body.start, id);
      add(node.body, id);
    }
  };
  add(flow, undefined);
  return { flow: { ...flow, nodes, edges: joined(edges) as FlowEdge[] }, holders };
}

const GIVES: Readonly<Record<string, string>> = {
  'data.for-each': 'Each item',
  'data.repeat-until': 'Value so far',
};
const starts = new Map<string, FlowNode>();

/** The same object for the same start, as for any node that has not changed. */
function startNode({ start }: FlowBody, operator: string): FlowNode {
  const name = GIVES[operator] ?? 'Input';
  const key = `${start} ${name}`;
  const node = starts.get(key) ?? { operator: BODY_START, name };
  starts.set(key, node);
  return node;
}

const joins = new WeakMap<
  readonly FlowEdge[],
  { parts: readonly (readonly FlowEdge[])[]; all: FlowEdge[] }
>();

/** The same list while its parts are the same, so that typing into a setting does not look like a change of edges. */
function joined(parts: readonly (readonly FlowEdge[])[]): FlowEdge[] {
  const [first = []] = parts;
  const before = joins.get(first);
  if (before?.parts.length === parts.length && before.parts.every((part, at) => part === parts[at]))
    return before.all;
  const all = parts.flat();
  joins.set(first, { parts, all });
  return all;
}
