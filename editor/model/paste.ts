import type { FlowNode } from '#shared/flow.ts';
import type { Draft } from 'immer';
import { renameNode } from '#engine/check';
import type { Clip } from './clipboard.ts';
import type { Doc, Point } from './document.ts';
import { addEdge, freshId, nodeOf, portOf, snap } from './edit.ts';

/**
 * Adds a clip's nodes under fresh ids, their middle at `at`; references among them follow. Gives the new ids. A file of its own,
 * loaded when it is needed: renaming in expressions takes the whole language.
 */
export function pasteNodes(draft: Draft<Doc>, clip: Clip, at: Point): string[] {
  const taken: Record<string, unknown> = { ...draft.flow.nodes };
  const ids = new Map<string, string>();
  for (const id of Object.keys(clip.nodes)) {
    const fresh = Object.hasOwn(taken, id) ? freshId(taken, stem(id)) : id;
    taken[fresh] = true;
    ids.set(id, fresh);
  }
  const nodes = renamed(clip, ids);
  const middle = middleOf(Object.values(clip.places));
  for (const [old, id] of ids) {
    const place = clip.places[old] ?? middle;
    draft.flow.nodes[id] = nodes[id] as FlowNode;
    draft.layout.nodes[id] = snap({ x: at.x + place.x - middle.x, y: at.y + place.y - middle.y });
  }
  for (const edge of clip.edges) {
    const from = ids.get(nodeOf(edge.from));
    const to = ids.get(nodeOf(edge.to));
    if (from && to)
      addEdge(draft, { ...edge, from: `${from}.${portOf(edge.from)}`, to: `${to}.${portOf(edge.to)}` });
  }
  return [...ids.values()];
}

/** Renames by way of names that cannot clash, since one clip's new id may be another one's old one. */
function renamed(clip: Clip, ids: ReadonlyMap<string, string>): Record<string, FlowNode> {
  let flow = { format: 1 as const, id: 'clip', nodes: structuredClone(clip.nodes), edges: [] };
  let n = 0;
  const middle = new Map([...ids].map(([old, id]) => [old, { temporary: `tmp_paste_${n++}`, id }]));
  for (const [old, { temporary }] of middle) flow = renameNode(flow, old, temporary) as typeof flow;
  for (const { temporary, id } of middle.values()) flow = renameNode(flow, temporary, id) as typeof flow;
  return flow.nodes;
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
