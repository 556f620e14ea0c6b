import type { FlowEdge, FlowNode } from '#shared/flow.ts';
import type { Draft } from 'immer';
import { renameNodes } from '#engine/edit';
import type { Clip } from './clipboard.ts';
import { type Doc, edgeId, type Point } from './document.ts';
import { freshId, nodeOf, portOf, snap } from './edit.ts';
import { flatFlow, graphIn, idsWithin } from './flat.ts';

/**
 * Adds a clip's nodes with fresh ids, their middle at `at`, to the flow or the body of `holder`; references among them follow. Returns
 * the new ids of the nodes themselves. A separate file that is loaded on demand, since renaming in expressions needs the whole language.
 */
export function pasteNodes(draft: Draft<Doc>, clip: Clip, at: Point, holder?: string): string[] {
  const own = Object.entries(clip.nodes).flatMap(([id, node]) => [id, ...idsWithin(node)]);
  const ids = freshIds(Object.keys(flatFlow(draft.flow as Doc['flow']).nodes), own);
  const nodes = renameNodes(structuredClone(clip.nodes), ids);
  const graph = graphIn(draft.flow as Doc['flow'], holder) ?? draft.flow;
  const tops = Object.keys(clip.nodes);
  const middle = middleOf(tops.flatMap((id) => clip.places[id] ?? []));
  for (const [old, id] of ids) {
    const { x, y, ...more } = clip.places[old] ?? middle;
    draft.layout.nodes[id] = { ...snap({ x: at.x + x - middle.x, y: at.y + y - middle.y }), ...more };
  }
  const pasted = tops.map((id) => ids.get(id) as string);
  for (const id of pasted) graph.nodes[id] = nodes[id] as FlowNode;
  // Their ends are new, so none of them can exist already.
  const edges = new Map<string, FlowEdge>();
  for (const edge of clip.edges) {
    const from = ids.get(nodeOf(edge.from));
    const to = ids.get(nodeOf(edge.to));
    if (!from || !to) continue;
    const copied = { ...edge, from: `${from}.${portOf(edge.from)}`, to: `${to}.${portOf(edge.to)}` };
    edges.set(edgeId(copied), copied);
  }
  graph.edges.push(...edges.values());
  return pasted;
}

/** The new id for each id of a clip: the same one if it is free. */
function freshIds(there: readonly string[], wanted: readonly string[]): Map<string, string> {
  const taken: Record<string, true> = Object.fromEntries(there.map((id) => [id, true]));
  const ids = new Map<string, string>();
  const last = new Map<string, number>();
  for (const id of wanted) {
    const base = stem(id);
    const fresh = Object.hasOwn(taken, id) ? freshId(taken, base, last.get(base)) : id;
    if (fresh !== id) last.set(base, Number(/_(\d+)$/.exec(fresh)?.[1] ?? 1) + 1);
    taken[fresh] = true;
    ids.set(id, fresh);
  }
  return ids;
}

function stem(id: string): string {
  return id.replace(/_\d+$/, '');
}

function middleOf(points: readonly Point[]): Point {
  if (points.length === 0) return { x: 0, y: 0 };
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  return { x: (Math.min(...xs) + Math.max(...xs)) / 2, y: (Math.min(...ys) + Math.max(...ys)) / 2 };
}
