import type { Flow, FlowNode } from '#shared/flow.ts';

/** A bare `operator`, or a whole node. */
export type NodeSpec = string | FlowNode;

/** A flow from its nodes and edges; an edge is written `a.out > b.in`. */
export function flowOf(
  nodes: Record<string, NodeSpec>,
  edges: readonly string[] = [],
  more: Partial<Flow> = {},
): Flow {
  return {
    format: 1,
    id: 'test_flow',
    nodes: Object.fromEntries(
      Object.entries(nodes).map(([id, node]) => [id, typeof node === 'string' ? { operator: node } : node]),
    ),
    edges: edges.map((edge) => {
      const [from = '', to = ''] = edge.split(' > ');
      return { from, to };
    }),
    ...more,
  };
}
