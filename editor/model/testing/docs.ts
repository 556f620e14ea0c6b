import type { FlowNode } from '#shared/flow.ts';
import { produce } from 'immer';
import type { Doc, Point } from '../document/document.ts';

/** A document from nodes (`id: operator` or a whole node) and edges (`a.out>b.in`); nodes are in a row, 300 apart. */
export function docOf(
  nodes: Readonly<Record<string, string | FlowNode>>,
  edges: readonly string[] = [],
  places: Readonly<Record<string, Point>> = {},
): Doc {
  const doc: Doc = {
    flow: {
      format: 1,
      id: 'test',
      nodes: Object.fromEntries(
        Object.entries(nodes).map(([id, node]) => [id, typeof node === 'string' ? { operator: node } : node]),
      ),
      edges: edges.map((text) => {
        const [from = '', to = ''] = text.split('>');
        return { from, to };
      }),
    },
    layout: {
      format: 1,
      nodes: Object.fromEntries(
        Object.keys(nodes).map((id, i) => [id, { ...(places[id] ?? { x: i * 300, y: 0 }) }]),
      ),
    },
  };
  return produce(doc, () => {});
}
