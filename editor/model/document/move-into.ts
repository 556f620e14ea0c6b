import { current, type Draft } from 'immer';
import type { Catalog } from '#shared/catalog.ts';
import { MAX_BODY_DEPTH } from '#shared/flow.ts';
import { portsOf } from '#engine/check';
import type { Doc } from './document.ts';
import { addEdge, infoOf, nodeOf } from './edit.ts';
import {
  flatFlow,
  graphIn,
  graphOf,
  graphsOf,
  holderOf,
  holdersOf,
  idsWithin,
  isStart,
  nodeIn,
  outermost,
} from './flat.ts';
import { titleOf } from './geometry.ts';

/** Why a node cannot go into the body of a container, or out of the one it is in; undefined if it can. */
export function whyNotInto(
  { flow }: Doc,
  catalog: Catalog,
  id: string,
  holder: string | undefined,
): string | undefined {
  const node = nodeIn(flow, id);
  if (!node) return 'There is no such node.';
  if (isStart(node)) return 'The start of a body stays in it.';
  if (holder === undefined) return undefined;
  const info = infoOf(catalog, node);
  const title = titleOf(node, catalog);
  if (info?.trigger) return `“${title}” starts the flow, so it cannot be in a frame.`;
  if (info?.respond) return `“${title}” answers the caller, which is possible only outside of frames.`;
  const levels = holdersOf(flow, holder).length + 1 + depthOf(node);
  if (levels > MAX_BODY_DEPTH) return `Frames can be at most ${MAX_BODY_DEPTH} deep.`;
  return undefined;
}

/** How many bodies are in a node, one in the other. */
function depthOf(node: { body?: unknown }): number {
  const { body } = node as { body?: { nodes: Record<string, { body?: unknown }> } };
  return body ? 1 + Math.max(0, ...Object.values(body.nodes).map(depthOf)) : 0;
}

/**
 * Moves nodes, which keep their ids, into the body of a container or out to the flow itself. Edges among them go along; those that
 * would cross a frame are removed. The first node of a body is connected to its start. Returns the number of removed edges.
 */
export function moveInto(
  draft: Draft<Doc>,
  catalog: Catalog,
  ids: Iterable<string>,
  holder: string | undefined,
): number {
  const flow = current(draft).flow as Doc['flow'];
  const moved = outermost(flow, ids).filter(
    (id) => holderOf(flow, id) !== holder && !isStart(nodeIn(flow, id)),
  );
  const target = graphIn(draft.flow as Doc['flow'], holder);
  if (!target || moved.length === 0) return 0;
  const wasEmpty = Object.keys(target.nodes).length === 0;
  const before = flatFlow(flow).edges;
  for (const id of moved) {
    const from = graphOf(draft.flow, id);
    const node = from?.nodes[id];
    if (!from || !node || (holder !== undefined && idsWithin(node).includes(holder))) continue;
    delete from.nodes[id];
    target.nodes[id] = node;
  }
  settleEdges(draft, before, new Set(moved));
  if (wasEmpty && holder !== undefined) connectStart(draft, catalog, { holder, id: moved[0] ?? '' });
  const after = flatFlow(current(draft).flow as Doc['flow']).edges;
  const left = new Set(after.map(({ from, to }) => `${from}>${to}`));
  return before.filter(({ from, to }) => !left.has(`${from}>${to}`)).length;
}

/** Puts the edges of moved nodes where both of their ends are now. */
function settleEdges(draft: Draft<Doc>, edges: Doc['flow']['edges'], moved: ReadonlySet<string>): void {
  const touched = edges.filter(({ from, to }) => moved.has(nodeOf(from)) || moved.has(nodeOf(to)));
  const keys = new Set(touched.map(({ from, to }) => `${from}>${to}`));
  for (const graph of graphsOf(draft.flow))
    if (graph.edges.some(({ from, to }) => keys.has(`${from}>${to}`)))
      graph.edges = graph.edges.filter(({ from, to }) => !keys.has(`${from}>${to}`));
  const flow = current(draft).flow as Doc['flow'];
  for (const edge of touched)
    if (holderOf(flow, nodeOf(edge.from)) === holderOf(flow, nodeOf(edge.to))) addEdge(draft, { ...edge });
}

/** The first node of a body takes what its start gives. */
function connectStart(
  draft: Draft<Doc>,
  catalog: Catalog,
  { holder, id }: { readonly holder: string; readonly id: string },
): void {
  const body = graphOf(draft.flow, holder)?.nodes[holder]?.body;
  const node = body?.nodes[id];
  const info = infoOf(catalog, node);
  if (!body || !node || !info) return;
  const port = portsOf(node, info).inputs.find(({ kind }) => kind !== 'stream');
  const isFree = port && !body.edges.some(({ to }) => to === `${id}.${port.name}`);
  if (isFree) addEdge(draft, { from: `${body.start}.out`, to: `${id}.${port.name}` });
}
