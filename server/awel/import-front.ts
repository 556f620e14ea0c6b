import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { ownEntry } from './awel-flow.ts';
import type { ImportedNode } from './import-nodes.ts';
import { idSource } from './names.ts';

interface Drawn {
  readonly flow: Flow;
  readonly layout: Layout;
}

/** The flow with the nodes that stand in front of others: what one of the original does in one step takes two here. */
export function withFronts({ flow, layout }: Drawn, nodes: readonly ImportedNode[]): Drawn {
  const fronted = nodes.filter(({ front }) => front !== undefined);
  if (fronted.length === 0) return { flow, layout };
  const idOf = idSource(Object.keys(flow.nodes));
  const frontOf = new Map(fronted.map((one) => [`${one.id}.${one.inputs[0]}`, idOf('history')]));
  const inFront = fronted.flatMap(({ id, inputs, front }) => {
    const to = `${id}.${inputs[0]}`;
    const own = frontOf.get(to);
    return own && front
      ? [{ id: own, node: front, edge: { from: `${own}.out`, to }, at: ownEntry(layout.nodes, id) }]
      : [];
  });
  const edges = flow.edges.map((edge) => {
    const front = frontOf.get(edge.to);
    return front === undefined ? edge : { ...edge, to: `${front}.in` };
  });
  const places = inFront.flatMap(({ id, at }) =>
    at ? [[id, { x: at.x - 60, y: at.y - 140 }] as const] : [],
  );
  return {
    flow: {
      ...flow,
      nodes: { ...flow.nodes, ...Object.fromEntries(inFront.map(({ id, node }) => [id, node])) },
      edges: [...edges, ...inFront.map(({ edge }) => edge)],
    },
    layout: { ...layout, nodes: { ...layout.nodes, ...Object.fromEntries(places) } },
  };
}
