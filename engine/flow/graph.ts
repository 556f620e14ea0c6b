import { Graph } from 'graphlib';
import type { Flow, FlowEdge } from '#shared/flow.ts';
import { splitPortRef } from '#shared/flow.ts';
import { finished, type Steps } from '../base/steps.ts';

/**
 * The flow as a graph. graphlib stores it. Order, cycles and reachability are iterative passes, because the library's
 * recursive ones overflow the stack at about 4,000 nodes (docs/decisions/0002-graph-passes.md).
 */
export interface EdgeLabel {
  readonly from: string;
  readonly fromPort: string;
  readonly to: string;
  readonly toPort: string;
  readonly order: number | undefined;
  /** The field of the value that arrives, as it is written; undefined: the whole value. */
  readonly pick: string | undefined;
  /** Index in `flow.edges`. */
  readonly at: number;
}

export type FlowGraph = Graph<unknown, undefined, EdgeLabel>;

/**
 * Edges whose ends are not nodes of the flow are left out; `check` reports them. Most changes of a flow leave nodes and edges
 * as they are, and then the result is the graph that was made before.
 */
export function flowGraph(flow: Flow): FlowGraph {
  return finished(makingGraph(flow));
}

/** Nodes or edges a step. */
const PER_STEP = 200;

/** `flowGraph` in steps of `PER_STEP` nodes or edges. */
export function* makingGraph(flow: Flow): Steps<FlowGraph> {
  const ids = Object.keys(flow.nodes);
  const known = latest?.deref();
  if (known && isOf(known, ids, flow.edges)) return known.graph;
  const graph: FlowGraph = new Graph({ directed: true, multigraph: true });
  for (const [at, id] of ids.entries()) {
    if (at % PER_STEP === PER_STEP - 1) yield;
    graph.setNode(id);
  }
  for (const [at, edge] of flow.edges.entries()) {
    if (at % PER_STEP === PER_STEP - 1) yield;
    const from = splitPortRef(edge.from);
    const to = splitPortRef(edge.to);
    // Not `graph.hasNode`, which finds `constructor` in every graph.
    if (!Object.hasOwn(flow.nodes, from.node) || !Object.hasOwn(flow.nodes, to.node)) continue;
    const label = {
      from: from.node,
      fromPort: from.port,
      to: to.node,
      toPort: to.port,
      order: edge.order,
      pick: edge.pick,
      at,
    };
    graph.setEdge(from.node, to.node, label, `${edge.from}>${edge.to}`);
  }
  yield;
  sortedEdges(graph);
  yield;
  if (ids.length >= WORTH_KEEPING) latest = new WeakRef({ graph, ids, edges: flow.edges.map(placeOf) });
  return graph;
}

/** Smaller graphs take no time to make. */
const WORTH_KEEPING = 100;

type EdgePlace = Pick<FlowEdge, 'from' | 'to' | 'order' | 'pick'>;

/** A graph with the nodes and edges that it was made of. */
interface MadeGraph {
  readonly graph: FlowGraph;
  readonly ids: readonly string[];
  readonly edges: readonly EdgePlace[];
}

/** The large graph that was made last; weak, so that it takes no memory while nobody works on large flows. */
let latest: WeakRef<MadeGraph> | undefined;

function isOf(made: MadeGraph, ids: readonly string[], edges: readonly FlowEdge[]): boolean {
  return (
    made.ids.length === ids.length &&
    made.edges.length === edges.length &&
    made.ids.every((id, at) => id === ids[at]) &&
    made.edges.every((edge, at) => isSamePlace(edge, edges[at] as FlowEdge))
  );
}

function isSamePlace(a: EdgePlace, b: EdgePlace): boolean {
  return a.from === b.from && a.to === b.to && a.order === b.order && a.pick === b.pick;
}

function placeOf({ from, to, order, pick }: FlowEdge): EdgePlace {
  return { from, to, order, pick };
}

/** The edges into a node in edge order: by `order` where given (first), then by the source's name. */
export function incoming(graph: FlowGraph, node: string): readonly EdgeLabel[] {
  return sortedEdges(graph).into.get(node) ?? NO_EDGES;
}

/** The edges out of a node in edge order. */
export function outgoing(graph: FlowGraph, node: string): readonly EdgeLabel[] {
  return sortedEdges(graph).outOf.get(node) ?? NO_EDGES;
}

const NO_EDGES: readonly EdgeLabel[] = [];

interface SortedEdges {
  readonly into: ReadonlyMap<string, readonly EdgeLabel[]>;
  readonly outOf: ReadonlyMap<string, readonly EdgeLabel[]>;
}

/** By graph: all who look at a flow ask for the edges of every node, several times. Nobody changes a graph that was made. */
const sorted = new WeakMap<FlowGraph, SortedEdges>();

function sortedEdges(graph: FlowGraph): SortedEdges {
  const known = sorted.get(graph);
  if (known) return known;
  const edges = graph.edges().map((edge) => graph.edge(edge));
  edges.sort(byEdgeOrder);
  const made = {
    into: Map.groupBy(edges, (edge) => edge.to),
    outOf: Map.groupBy(edges, (edge) => edge.from),
  };
  sorted.set(graph, made);
  return made;
}

/** Compares edges for the edge order: by input, then by `order` where given (first), then by source. */
export function byEdgeOrder(a: EdgeLabel, b: EdgeLabel): number {
  const byPort = compareText(a.to, b.to) || compareText(a.toPort, b.toPort);
  if (byPort !== 0) return byPort;
  const byOrder = (a.order ?? Number.POSITIVE_INFINITY) - (b.order ?? Number.POSITIVE_INFINITY);
  if (byOrder !== 0 && !Number.isNaN(byOrder)) return byOrder;
  return compareText(a.from, b.from) || compareText(a.fromPort, b.fromPort);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Kahn's order; of the nodes that one step frees, the smallest id comes first. `rest` holds the nodes on or after a cycle,
 * and is empty for an acyclic flow.
 */
export function topologicalOrder(graph: FlowGraph): { order: string[]; rest: string[] } {
  const open = new Map<string, number>();
  const order: string[] = [];
  for (const id of graph.nodes().sort()) {
    const count = incoming(graph, id).length;
    if (count === 0) order.push(id);
    else open.set(id, count);
  }
  for (let i = 0; i < order.length; i++) {
    const freed: string[] = [];
    for (const { to } of outgoing(graph, order[i] as string)) {
      const left = (open.get(to) as number) - 1;
      open.set(to, left);
      if (left === 0) {
        open.delete(to);
        freed.push(to);
      }
    }
    order.push(...freed.sort());
  }
  return { order, rest: [...open.keys()] };
}

/** All nodes reachable from `starts` along (or, with `back`, against) the edges, the starts included. */
export function reach(graph: FlowGraph, starts: Iterable<string>, back = false): Set<string> {
  const seen = new Set(starts);
  for (const id of seen) {
    for (const { from, to } of back ? incoming(graph, id) : outgoing(graph, id)) seen.add(back ? from : to);
  }
  return seen;
}

/**
 * The nodes of a run that starts at `trigger`: the nodes that it reaches and their ancestors, without the other triggers and
 * the nodes that only those reach.
 */
export function runScope(graph: FlowGraph, trigger: string, isTrigger: (id: string) => boolean): Set<string> {
  const related = reach(graph, reach(graph, [trigger]), true);
  const roots = [...related].filter(
    (id) => id === trigger || (!isTrigger(id) && incoming(graph, id).length === 0),
  );
  const alive = reach(graph, roots);
  return new Set([...related].filter((id) => alive.has(id) && (id === trigger || !isTrigger(id))));
}
