import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { Catalog } from '#shared/catalog.ts';
import type { Doc, Point } from '../document/document.ts';
import { edgeId } from '../document/document.ts';
import { nodeOf, portOf, snap } from '../document/edit.ts';
import { flatFlow, holderOf, holdersOf, idsWithin } from '../document/flat.ts';
import { drawnBox, firstPlace, placesFor } from '../document/frames.ts';
import { boxOfNode } from '../document/geometry.ts';

/** Positions for all nodes, computed in a worker that is reused: by elk, or for a large flow by a quicker way. */
export type Places = Readonly<Record<string, Point>>;

/** Elk takes five seconds for 1,000 nodes. */
const ELK_UP_TO = 300;

interface Layouter {
  layout(graph: ElkNode): Promise<ElkNode>;
}

let elk: Promise<Layouter> | undefined;

async function startElk(): Promise<Layouter> {
  const [{ default: Elk }, { default: workerUrl }] = await Promise.all([
    import('elkjs/lib/elk-api.js'),
    import('elkjs/lib/elk-worker.min.js?url'),
  ]);
  return new Elk({ workerFactory: () => new Worker(workerUrl) });
}

const quick: Layouter = {
  layout: (graph) => {
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    const { promise, resolve, reject } = Promise.withResolvers<ElkNode>();
    worker.onmessage = ({ data }: MessageEvent<ElkNode>) => resolve(data);
    worker.onerror = () => reject(new Error('The worker that lays out flows has failed.'));
    worker.postMessage(graph);
    return promise.finally(() => worker.terminate());
  },
};

const bySize: Layouter = {
  layout: async (graph) => {
    if ((graph.children?.length ?? 0) > ELK_UP_TO) return quick.layout(graph);
    elk ??= startElk();
    return (await elk).layout(graph);
  },
};

export async function autoLayout(doc: Doc, catalog: Catalog): Promise<Places> {
  try {
    return await layOut(doc, catalog, bySize);
  } catch (error) {
    elk = undefined;
    throw error;
  }
}

/** The innermost bodies first, since a frame is as large as what is in it. */
export async function layOut(doc: Doc, catalog: Catalog, layouter: Layouter): Promise<Places> {
  let laidOut = doc;
  for (const level of levelsOf(doc)) {
    const answer = await layouter.layout(layoutGraph(laidOut, catalog, level));
    const nodes = moved(laidOut, placesFrom(laidOut, catalog, answer, level));
    laidOut = { ...laidOut, layout: { ...laidOut.layout, nodes } };
  }
  return Object.fromEntries(
    Object.entries(laidOut.layout.nodes).map(([id, { x, y }]) => [id, snap({ x, y })]),
  );
}

/** The nodes of the flow itself (without a holder), or of a body with its start. */
interface Level {
  readonly ids: readonly string[];
  readonly holder: string | undefined;
}

/** The levels that are laid out together, the innermost bodies first. */
function levelsOf({ flow, layout }: Doc): Level[] {
  const byHolder = Map.groupBy(Object.keys(flatFlow(flow).nodes), (id) => holderOf(flow, id));
  const levels = [...byHolder].map(([holder, ids]) => ({ holder, ids }));
  const depth = ({ holder }: Level): number =>
    holder === undefined ? 0 : holdersOf(flow, holder).length + 1;
  return levels.filter(({ ids }) => ids.some((id) => layout.nodes[id])).sort((a, b) => depth(b) - depth(a));
}

/** The places of all nodes after some have moved: what is in a frame moves with it. */
function moved(doc: Doc, places: Places): Doc['layout']['nodes'] {
  const nodes = { ...doc.layout.nodes };
  for (const [id, to] of Object.entries(places)) {
    const from = nodes[id];
    nodes[id] = { ...from, ...to };
    for (const inner of idsWithin(flatFlow(doc.flow).nodes[id] ?? {})) {
      const at = nodes[inner];
      if (at && from) nodes[inner] = { ...at, x: at.x + to.x - from.x, y: at.y + to.y - from.y };
    }
  }
  return nodes;
}

/** A level of the flow in elk's format: ports in their order on the left and right, edges between ports. */
export function layoutGraph(doc: Doc, catalog: Catalog, { ids }: Level = topOf(doc)): ElkNode {
  return {
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.spacing.nodeNode': '40',
      'elk.spacing.edgeNode': '24',
      'elk.layered.spacing.nodeNodeBetweenLayers': '100',
      'elk.layered.spacing.edgeNodeBetweenLayers': '30',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.layered.thoroughness': '7',
      'elk.separateConnectedComponents': 'true',
      'elk.spacing.componentComponent': '60',
    },
    children: ids.map((id) => elkNode(doc, catalog, id)),
    edges: elkEdges(doc, new Set(ids)),
  };
}

function topOf({ flow }: Doc): Level {
  return { holder: undefined, ids: Object.keys(flow.nodes) };
}

function elkNode(doc: Doc, catalog: Catalog, id: string): ElkNode {
  const box = drawnBox(doc, catalog, id) ?? boxOfNode(doc, catalog, id);
  return {
    id,
    width: box.width,
    height: box.height,
    layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
    ports: box.ports.map((port) => ({
      id: portId(id, port.side, port.name),
      width: 0,
      height: 0,
      x: port.x,
      y: port.y,
      layoutOptions: { 'elk.port.side': port.side === 'left' ? 'WEST' : 'EAST' },
    })),
  };
}

/** An input and an output may have the same name. */
function portId(node: string, side: 'left' | 'right', port: string): string {
  return `${node}.${side}.${port}`;
}

function elkEdges(doc: Doc, ids: ReadonlySet<string>): ElkExtendedEdge[] {
  const edges = flatFlow(doc.flow).edges.filter((e) => ids.has(nodeOf(e.from)) && ids.has(nodeOf(e.to)));
  return [...new Map(edges.map((e) => [edgeId(e), e]))].map(([id, e]) => ({
    id,
    sources: [portId(nodeOf(e.from), 'right', portOf(e.from))],
    targets: [portId(nodeOf(e.to), 'left', portOf(e.to))],
  }));
}

/** The positions from elk's answer; the top left corner of the drawing stays where it was, a body begins in its frame. */
export function placesFrom(doc: Doc, catalog: Catalog, laidOut: ElkNode, level: Level = topOf(doc)): Places {
  const origin = originOf(doc, catalog, level);
  const children = laidOut.children ?? [];
  const corner = {
    x: Math.min(...children.map((c) => c.x ?? 0)),
    y: Math.min(...children.map((c) => c.y ?? 0)),
  };
  const drawn = new Map(
    children.map((c) => [
      c.id,
      snap({ x: origin.x + (c.x ?? 0) - corner.x, y: origin.y + (c.y ?? 0) - corner.y }),
    ]),
  );
  return placesFor(doc, catalog, drawn);
}

function originOf(doc: Doc, catalog: Catalog, { ids, holder }: Level): Point {
  if (holder !== undefined) {
    const frame = doc.layout.nodes[holder] ?? { x: 0, y: 0 };
    const first = firstPlace(doc, catalog, holder);
    return { x: frame.x + first.x, y: frame.y + first.y };
  }
  const before = ids.flatMap((id) => drawnBox(doc, catalog, id) ?? []);
  return {
    x: before.length > 0 ? Math.min(...before.map((p) => p.x)) : 0,
    y: before.length > 0 ? Math.min(...before.map((p) => p.y)) : 0,
  };
}
