import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';

/**
 * The edited document: the flow file and its layout file, in their saved form. It is the source of truth: the canvas shows a
 * projection of it (`project.ts`), and only `commit` of the store changes it.
 */
export interface Doc {
  readonly flow: Flow;
  readonly layout: Layout;
}

/** A point in flow coordinates (pixels at 100 %), unless its place says otherwise. */
export type Point = { readonly x: number; readonly y: number };

/** An edge's identity: a flow has at most one between two ports. */
export type EdgeId = `${string}>${string}`;

export function edgeId(edge: { from: string; to: string }): EdgeId {
  return `${edge.from}>${edge.to}`;
}

export function emptyDoc(id: string): Doc {
  return { flow: { format: 1, id, nodes: {}, edges: [] }, layout: { format: 1, nodes: {} } };
}
