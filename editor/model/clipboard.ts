import { z } from 'zod';
import { FlowEdge, FlowNode } from '#shared/flow.ts';
import type { Draft } from 'immer';
import { renameNode } from '#engine/check';
import type { Doc, Point } from './document.ts';
import { addEdge, freshId, nodeOf, portOf, snap } from './edit.ts';

/** What is put on the system clipboard: a piece of a flow as JSON text, so that it also pastes into another tab or a file. */
export const Clip = z.object({
  weft: z.literal('nodes'),
  nodes: z.record(z.string(), FlowNode),
  edges: z.array(FlowEdge),
  places: z.record(z.string(), z.object({ x: z.number(), y: z.number() })),
});
export type Clip = z.infer<typeof Clip>;

/** The chosen nodes with the edges between them. Secret references stay behind: they are granted per flow. */
export function copyNodes(doc: Doc, ids: ReadonlySet<string>): Clip {
  const chosen = Object.keys(doc.flow.nodes).filter((id) => ids.has(id));
  return {
    weft: 'nodes',
    nodes: Object.fromEntries(chosen.map((id) => [id, withoutSecrets(doc.flow.nodes[id]) as FlowNode])),
    edges: doc.flow.edges.filter((e) => ids.has(nodeOf(e.from)) && ids.has(nodeOf(e.to))),
    places: Object.fromEntries(chosen.map((id) => [id, placeOf(doc, id)])),
  };
}

function placeOf(doc: Doc, id: string): Point {
  const { x, y } = doc.layout.nodes[id] ?? { x: 0, y: 0 };
  return { x, y };
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  if ('$secret' in value) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, withoutSecrets(v)]));
}

/** Reads a clip from pasted text; undefined when it is something else. */
export function readClip(text: string): Clip | undefined {
  try {
    const parsed = Clip.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Adds a clip's nodes under fresh ids, their middle at `at`; references among them follow. Gives the new ids. */
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
