import type { Draft } from 'immer';
import { flowGraph, incoming } from '#engine/check';
import { type Doc, type EdgeId, edgeId } from './document.ts';
import { nodeOf } from './edit.ts';

/** Moves an edge among those of its input; all of them then have an explicit order. */
export function moveEdge(draft: Draft<Doc>, id: EdgeId, by: number): void {
  const edge = draft.flow.edges.find((other) => edgeId(other) === id);
  if (!edge) return;
  const sorted = incoming(flowGraph(draft.flow as Doc['flow']), nodeOf(edge.to))
    .map(({ at }) => draft.flow.edges[at])
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
