import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import type { Catalog } from '#shared/catalog.ts';
import type { Doc, Point } from '../document/document.ts';
import { edgeId } from '../document/document.ts';
import { nodeOf, portOf, snap } from '../document/edit.ts';
import { boxOfNode } from '../document/geometry.ts';

/** Positions for all nodes, computed by elk in a worker that is reused. */
export type Places = Readonly<Record<string, Point>>;

const THOROUGH_UP_TO = 300;

interface Layouter {
  layout(graph: ElkNode): Promise<ElkNode>;
}

let elk: Promise<Layouter> | undefined;

async function startWorker(): Promise<Layouter> {
  const [{ default: Elk }, { default: workerUrl }] = await Promise.all([
    import('elkjs/lib/elk-api.js'),
    import('elkjs/lib/elk-worker.min.js?url'),
  ]);
  return new Elk({ workerFactory: () => new Worker(workerUrl) });
}

export async function autoLayout(doc: Doc, catalog: Catalog): Promise<Places> {
  elk ??= startWorker();
  try {
    return placesFrom(doc, await (await elk).layout(layoutGraph(doc, catalog)));
  } catch (error) {
    elk = undefined;
    throw error;
  }
}

/** The flow in elk's format: ports in their order on the left and right, edges between ports. */
export function layoutGraph(doc: Doc, catalog: Catalog): ElkNode {
  const ids = Object.keys(doc.flow.nodes);
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
      'elk.layered.thoroughness': ids.length <= THOROUGH_UP_TO ? '7' : '1',
      'elk.separateConnectedComponents': 'true',
      'elk.spacing.componentComponent': '60',
    },
    children: ids.map((id) => elkNode(doc, catalog, id)),
    edges: elkEdges(doc),
  };
}

function elkNode(doc: Doc, catalog: Catalog, id: string): ElkNode {
  const box = boxOfNode(doc, catalog, id);
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

function elkEdges(doc: Doc): ElkExtendedEdge[] {
  const known = (id: string) => Object.hasOwn(doc.flow.nodes, id);
  const edges = doc.flow.edges.filter((e) => known(nodeOf(e.from)) && known(nodeOf(e.to)));
  return [...new Map(edges.map((e) => [edgeId(e), e]))].map(([id, e]) => ({
    id,
    sources: [portId(nodeOf(e.from), 'right', portOf(e.from))],
    targets: [portId(nodeOf(e.to), 'left', portOf(e.to))],
  }));
}

/** The positions from elk's answer; the top left corner of the drawing stays where it was. */
export function placesFrom(doc: Doc, laidOut: ElkNode): Places {
  const before = Object.values(doc.layout.nodes);
  const origin = {
    x: before.length > 0 ? Math.min(...before.map((p) => p.x)) : 0,
    y: before.length > 0 ? Math.min(...before.map((p) => p.y)) : 0,
  };
  const children = laidOut.children ?? [];
  const corner = {
    x: Math.min(...children.map((c) => c.x ?? 0)),
    y: Math.min(...children.map((c) => c.y ?? 0)),
  };
  return Object.fromEntries(
    children.map((c) => [
      c.id,
      snap({ x: origin.x + (c.x ?? 0) - corner.x, y: origin.y + (c.y ?? 0) - corner.y }),
    ]),
  );
}
