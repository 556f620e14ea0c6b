import type { Draft } from 'immer';
import { flowGraph, incoming } from '#engine/check';
import { type Doc, type EdgeId, edgeId } from './document.ts';
import { edgeIn, nodeOf } from './edit.ts';
import { flatFlow, graphOf } from './flat.ts';

/** Moves an edge among those of its input; all of them then have an explicit order. */
export function moveEdge(draft: Draft<Doc>, id: EdgeId, by: number): void {
  const edge = edgeIn(draft.flow, id);
  if (!edge) return;
  const { edges } = graphOf(draft.flow, nodeOf(edge.to)) ?? draft.flow;
  const flow = flatFlow(draft.flow as Doc['flow']);
  const sorted = incoming(flowGraph(flow), nodeOf(edge.to))
    .map(({ at }) => edges.find((other) => edgeId(other) === edgeId(flow.edges[at] ?? other)))
    .filter((other) => other?.to === edge.to);
  const from = sorted.indexOf(edge);
  const to = from + by;
  if (to < 0 || to >= sorted.length) return;
  sorted.splice(from, 1);
  sorted.splice(to, 0, edge);
  sorted.forEach((other, order) => {
    if (other) other.order = order;
  });
}
