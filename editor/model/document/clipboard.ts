import { z } from 'zod';
import { FlowEdge, FlowNode } from '#shared/flow.ts';
import type { Doc } from './document.ts';
import { nodeOf } from './edit.ts';
import { flatFlow, idsWithin, isStart, outermost } from './flat.ts';

/**
 * The content of the system clipboard: a piece of a flow as JSON text, so that it can also be pasted into another tab or a
 * file.
 */
export const Clip = z.object({
  weft: z.literal('nodes'),
  nodes: z.record(z.string(), FlowNode),
  edges: z.array(FlowEdge),
  places: z.record(
    z.string(),
    z.object({
      x: z.number(),
      y: z.number(),
      width: z.number().positive().optional(),
      height: z.number().positive().optional(),
      collapsed: z.boolean().optional(),
    }),
  ),
});
export type Clip = z.infer<typeof Clip>;

/**
 * The chosen nodes, with what is in them, and the edges between them. References to secrets are dropped: secrets are granted per flow.
 * The start of a body is copied with its container only.
 */
export function copyNodes(doc: Doc, ids: ReadonlySet<string>): Clip {
  const { nodes, edges } = flatFlow(doc.flow);
  const top = new Set(outermost(doc.flow, ids));
  const chosen = Object.keys(nodes).filter((id) => top.has(id) && !isStart(nodes[id]));
  const copied = new Set(chosen);
  const all = chosen.flatMap((id) => [id, ...idsWithin(nodes[id] ?? {})]);
  return {
    weft: 'nodes',
    nodes: Object.fromEntries(chosen.map((id) => [id, withoutSecrets(nodes[id]) as FlowNode])),
    edges: edges.filter((e) => copied.has(nodeOf(e.from)) && copied.has(nodeOf(e.to))),
    places: Object.fromEntries(all.map((id) => [id, placeOf(doc, id)])),
  };
}

function placeOf(doc: Doc, id: string): Clip['places'][string] {
  const { x, y, width, height, collapsed } = doc.layout.nodes[id] ?? { x: 0, y: 0 };
  const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
  return { x, y, ...size, ...(collapsed && { collapsed }) };
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  if ('$secret' in value) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, withoutSecrets(v)]));
}

/** Parses a clip from pasted text; undefined for any other text. */
export function readClip(text: string): Clip | undefined {
  try {
    const parsed = Clip.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
