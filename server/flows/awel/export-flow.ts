import { flowGraph, topologicalOrder } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import { type Flow, type FlowEdge, splitPortRef } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { ownEntry } from './awel-flow.ts';
import { type NodePorts, exportNode, type NodeData, usedPorts } from './export-node.ts';

/** DB-GPT's `flow_data`. */
export interface FlowData {
  readonly nodes: readonly AwelNodeOut[];
  readonly edges: readonly AwelEdgeOut[];
  readonly viewport: { x: number; y: number; zoom: number };
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

interface AwelNodeOut {
  readonly width: number;
  readonly height: number;
  readonly id: string;
  readonly position: Place;
  readonly type: 'customNode';
  readonly position_absolute: Place;
  readonly data: NodeData;
}

interface AwelEdgeOut {
  readonly source: string;
  readonly source_order: number;
  readonly target: string;
  readonly target_order: number;
  readonly id: string;
  readonly source_handle: string;
  readonly target_handle: string;
  readonly type: 'buttonedge';
  readonly weft?: object;
}

const BOX = { width: 320, height: 400 };

/**
 * Nodes, edges and positions of a flow in DB-GPT's format, losslessly: `importFlow` returns the same flow and
 * layout.
 */
export function exportFlowData(flow: Flow, layout: Layout | undefined, catalog: Catalog): FlowData {
  const used = usedPorts(flow.edges);
  const placeOf = places(flow, layout);
  const ports = new Map<string, NodePorts>();
  const nodes = Object.entries(flow.nodes).map(([id, node]): AwelNodeOut => {
    const exported = exportNode(id, node, used(id), catalog);
    ports.set(id, exported.ports);
    const position = placeOf(id);
    const { width, height } = ownEntry(layout?.nodes, id) ?? {};
    return {
      width: Math.round(width ?? BOX.width),
      height: Math.round(height ?? BOX.height),
      id,
      position,
      type: 'customNode',
      position_absolute: position,
      data: exported.data,
    };
  });
  const edges = flow.edges.map((edge) => exportEdge(edge, ports));
  const { x = 0, y = 0, zoom = 1 } = layout?.viewport ?? {};
  return { nodes, edges, viewport: { x, y, zoom } };
}

function exportEdge(edge: FlowEdge, ports: ReadonlyMap<string, NodePorts>): AwelEdgeOut {
  const { from, to, ...rest } = edge;
  const source = splitPortRef(from);
  const target = splitPortRef(to);
  // An edge to an unknown node has no index among ports; only its names remain.
  const sourceOrder = ports.get(source.node)?.outputs.indexOf(source.port) ?? 0;
  const targetOrder = ports.get(target.node)?.inputs.indexOf(target.port) ?? 0;
  const dangles = !ports.has(source.node) || !ports.has(target.node);
  const weft = { ...(dangles && { from, to }), ...rest };
  return {
    source: source.node,
    source_order: sourceOrder,
    target: target.node,
    target_order: targetOrder,
    id: `${from}|${to}`,
    source_handle: `${source.node}|outputs|${sourceOrder}`,
    target_handle: `${target.node}|inputs|${targetOrder}`,
    type: 'buttonedge',
    ...(Object.keys(weft).length > 0 && { weft }),
  };
}

/** The node's position in the layout, or otherwise a column for each step from the start. */
function places(flow: Flow, layout: Layout | undefined): (id: string) => Place {
  const rank = ranks(flow);
  const inColumn = new Map<number, number>();
  const made = new Map<string, Place>();
  for (const id of Object.keys(flow.nodes)) {
    if (ownEntry(layout?.nodes, id)) continue;
    const column = rank.get(id) ?? 0;
    const row = inColumn.get(column) ?? 0;
    inColumn.set(column, row + 1);
    made.set(id, { x: column * (BOX.width + 80), y: row * (BOX.height + 60), zoom: 0 });
  }
  return (id) => {
    const { x, y } = ownEntry(layout?.nodes, id) ?? { x: 0, y: 0 };
    return made.get(id) ?? { x, y, zoom: 0 };
  };
}

/** Number of steps from the start for each node; none for those in a cycle. */
function ranks(flow: Flow): Map<string, number> {
  const graph = flowGraph(flow);
  const rank = new Map<string, number>();
  const targets = Map.groupBy(flow.edges, ({ from }) => splitPortRef(from).node);
  for (const id of topologicalOrder(graph).order) {
    const own = rank.get(id) ?? 0;
    for (const { to } of targets.get(id) ?? []) {
      const { node } = splitPortRef(to);
      rank.set(node, Math.max(rank.get(node) ?? 0, own + 1));
    }
  }
  return rank;
}
