import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';

/**
 * What is edited: the flow file and its layout file, in the shapes in which they are saved. This is the truth; what the canvas
 * shows is projected from it (`project.ts`), and only `commit` of the store changes it.
 */
export interface Doc {
  readonly flow: Flow;
  readonly layout: Layout;
}

export type Point = { readonly x: number; readonly y: number };

/** An edge's identity: a flow has at most one between two ports. */
export type EdgeId = `${string}>${string}`;

export function edgeId(edge: { from: string; to: string }): EdgeId {
  return `${edge.from}>${edge.to}`;
}

export function emptyDoc(id: string): Doc {
  return { flow: { format: 1, id, nodes: {}, edges: [] }, layout: { format: 1, nodes: {} } };
}
