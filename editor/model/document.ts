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

/** Columns for nodes that nobody has placed (a file written by hand): by their distance from the start. */
export function placeMissing(doc: Doc): Doc {
  const missing = Object.keys(doc.flow.nodes).filter((id) => !doc.layout.nodes[id]);
  if (missing.length === 0) return doc;
  const depth = depths(doc.flow);
  const rows = new Map<number, number>();
  const nodes = { ...doc.layout.nodes };
  for (const id of missing) {
    const column = depth.get(id) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    nodes[id] = { x: column * 300, y: row * 140 };
  }
  return { ...doc, layout: { ...doc.layout, nodes } };
}

/** Longest way from a start, bounded so that a cycle ends too. */
function depths(flow: Flow): Map<string, number> {
  const ids = Object.keys(flow.nodes);
  const depth = new Map(ids.map((id) => [id, 0]));
  for (let round = 0; round < Math.min(ids.length, 50); round++) {
    let changed = false;
    for (const edge of flow.edges) {
      const from = depth.get(edge.from.split('.')[0] as string);
      const to = edge.to.split('.')[0] as string;
      if (from !== undefined && (depth.get(to) ?? Number.POSITIVE_INFINITY) <= from) {
        depth.set(to, from + 1);
        changed = true;
      }
    }
    if (!changed) break;
  }
  return depth;
}
