import { type FlowEdge, splitPortRef } from '#shared/flow.ts';
import { byEdgeOrder, type EdgeLabel } from '../flow/graph.ts';

export function nodeOf(ref: string): string {
  return splitPortRef(ref).node;
}

/** The edge from an object that has its value in a field. */
export function fromField(edge: FlowEdge, from: string, field: string | undefined): FlowEdge {
  if (field === undefined) return { ...edge, from };
  return { ...edge, from, pick: joined(field, edge.pick) };
}

/** A path of fields that goes on with another one. */
function joined(path: string, rest: string | undefined): string {
  if (rest === undefined) return path;
  return rest.startsWith('[') ? `${path}${rest}` : `${path}.${rest}`;
}

/** The edge from what another edge carries. */
export function fromEdge(edge: FlowEdge, { from, pick }: FlowEdge): FlowEdge {
  return pick === undefined ? { ...edge, from } : fromField(edge, from, pick);
}

/**
 * Orders by the index of their edge, for edges into inputs (as `node.port`) that take several: without them the names of sources
 * decide, which change.
 */
function ordersInto(edges: readonly FlowEdge[], inputs: Iterable<string>): ReadonlyMap<number, number> {
  const orders = new Map<number, number>();
  for (const to of new Set(inputs)) {
    const all = edges.flatMap((edge, at) => (edge.to === to ? [labelOf(edge, at)] : []));
    if (all.length < 2) continue;
    for (const [order, { at }] of all.toSorted(byEdgeOrder).entries()) orders.set(at, order);
  }
  return orders;
}

/** The edges with explicit orders where several lead to one of the inputs. */
export function withOrders(edges: readonly FlowEdge[], inputs: Iterable<string>): FlowEdge[] {
  const orders = ordersInto(edges, inputs);
  return edges.map((edge, at) => {
    const order = orders.get(at);
    return order === undefined ? edge : { ...edge, order };
  });
}

function labelOf({ from, to, order, pick }: FlowEdge, at: number): EdgeLabel {
  const [source, target] = [splitPortRef(from), splitPortRef(to)];
  return { from: source.node, fromPort: source.port, to: target.node, toPort: target.port, order, pick, at };
}
