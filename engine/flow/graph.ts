import { Graph } from 'graphlib';
import type { Flow } from '#shared/flow.ts';
import { splitPortRef } from '#shared/flow.ts';

/**
 * The flow as a graph. graphlib holds it; order, cycles and reach are iterative passes over it, because the library's own
 * recursive ones overflow the stack at about 4,000 nodes (docs/decisions/0002-graph-passes.md).
 */
export interface EdgeLabel {
  readonly from: string;
  readonly fromPort: string;
  readonly to: string;
  readonly toPort: string;
  readonly order: number | undefined;
  /** Index in `flow.edges`. */
  readonly at: number;
}

export type FlowGraph = Graph<unknown, undefined, EdgeLabel>;

/** Edges whose ends are not nodes of the flow are left out; `check` reports them. */
export function flowGraph(flow: Flow): FlowGraph {
  const graph: FlowGraph = new Graph({ directed: true, multigraph: true });
  for (const id of Object.keys(flow.nodes)) graph.setNode(id);
  flow.edges.forEach((edge, at) => {
    const from = splitPortRef(edge.from);
    const to = splitPortRef(edge.to);
    // Not `graph.hasNode`, which finds `constructor` in every graph.
    if (!Object.hasOwn(flow.nodes, from.node) || !Object.hasOwn(flow.nodes, to.node)) return;
    const label = {
      from: from.node,
      fromPort: from.port,
      to: to.node,
      toPort: to.port,
      order: edge.order,
      at,
    };
    graph.setEdge(from.node, to.node, label, `${edge.from}>${edge.to}`);
  });
  return graph;
}

/** The edges into a node in edge order: by `order` where given (first), then by the source's name. */
export function incoming(graph: FlowGraph, node: string): EdgeLabel[] {
  const edges = (graph.inEdges(node) ?? []).map((e) => graph.edge(e));
  return edges.sort(byEdgeOrder);
}

export function outgoing(graph: FlowGraph, node: string): EdgeLabel[] {
  const edges = (graph.outEdges(node) ?? []).map((e) => graph.edge(e));
  return edges.sort(byEdgeOrder);
}

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
 * Kahn's order; of nodes that could come next, the smallest id first among those freed by the same step. `rest` holds what
 * lies on or behind a cycle, empty for an acyclic flow.
 */
export function topologicalOrder(graph: FlowGraph): { order: string[]; rest: string[] } {
  const open = new Map<string, number>();
  const order: string[] = [];
  for (const id of graph.nodes().sort()) {
    const count = graph.inEdges(id)?.length ?? 0;
    if (count === 0) order.push(id);
    else open.set(id, count);
  }
  for (let i = 0; i < order.length; i++) {
    const freed: string[] = [];
    for (const edge of graph.outEdges(order[i] as string) ?? []) {
      const left = (open.get(edge.w) as number) - 1;
      open.set(edge.w, left);
      if (left === 0) {
        open.delete(edge.w);
        freed.push(edge.w);
      }
    }
    order.push(...freed.sort());
  }
  return { order, rest: [...open.keys()] };
}

/** Everything that can be reached from `starts` along (or, with `back`, against) the edges, the starts included. */
export function reach(graph: FlowGraph, starts: Iterable<string>, back = false): Set<string> {
  const seen = new Set(starts);
  for (const id of seen) {
    for (const edge of (back ? graph.inEdges(id) : graph.outEdges(id)) ?? [])
      seen.add(back ? edge.v : edge.w);
  }
  return seen;
}

/**
 * The nodes of a run that starts at `trigger`: what it reaches, and their ancestors, without the other triggers and what
 * only they reach.
 */
export function runScope(graph: FlowGraph, trigger: string, isTrigger: (id: string) => boolean): Set<string> {
  const related = reach(graph, reach(graph, [trigger]), true);
  const roots = [...related].filter(
    (id) => id === trigger || (!isTrigger(id) && (graph.inEdges(id)?.length ?? 0) === 0),
  );
  const alive = reach(graph, roots);
  return new Set([...related].filter((id) => alive.has(id) && (id === trigger || !isTrigger(id))));
}
