import { z } from 'zod';
import { FlowEdge, FlowNode } from '#shared/flow.ts';
import type { Doc, Point } from './document.ts';
import { nodeOf } from './edit.ts';

/**
 * The content of the system clipboard: a piece of a flow as JSON text, so that it can also be pasted into another tab or a
 * file.
 */
export const Clip = z.object({
  weft: z.literal('nodes'),
  nodes: z.record(z.string(), FlowNode),
  edges: z.array(FlowEdge),
  places: z.record(z.string(), z.object({ x: z.number(), y: z.number() })),
});
export type Clip = z.infer<typeof Clip>;

/** The chosen nodes and the edges between them. References to secrets are dropped: secrets are granted per flow. */
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

/** Parses a clip from pasted text; undefined for any other text. */
export function readClip(text: string): Clip | undefined {
  try {
    const parsed = Clip.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
