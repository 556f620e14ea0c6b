import { isDraft } from 'immer';
import type { Catalog } from '#shared/catalog.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import type { FlowEdge, FlowNode } from '#shared/flow.ts';
import { type Ports, portsOf } from '#engine/check';
import type { Doc, Point } from './document.ts';
import { infoOf, nodeOf, portOf } from './edit.ts';
import { flatFlow, isStart } from './flat.ts';

/**
 * Size of a node and positions of its ports, in pixels at 100 %. They are known without measuring, so that the canvas can draw
 * only what is visible. The node component's CSS uses the same numbers.
 */
export const NODE_WIDTH = 240;
/** The start of a body has a name and one port only. */
export const START_WIDTH = 150;
/** The band in the node's colour, its name and what it does. */
export const HEADER_HEIGHT = 48;
/** Height of a row with the name of a port. */
export const PORT_ROW = 24;
/** The state in a run, and problems. */
export const FOOTER_HEIGHT = 24;
/** The middle of a port that is the only one on its side: it needs no row and no name. */
export const SINGLE_PORT = 36;
/** Diameter of a port. */
export const PORT_SIZE = 12;
/** Width of the node's border: content is positioned from its inner edge. */
export const NODE_BORDER = 1;

/** Where a port is drawn at its node. */
export interface PortPlace {
  readonly name: string;
  /** `left`: an input; `right`: an output. */
  readonly side: 'left' | 'right';
  /** Middle of the port, from the node's top left corner. */
  readonly x: number;
  readonly y: number;
}

/** Size of a node and the places of its ports. */
export interface NodeBox {
  readonly width: number;
  readonly height: number;
  readonly ports: readonly PortPlace[];
}

const unknownPorts: Ports = { inputs: [], outputs: [] };

/**
 * Ports of a node. They include ports that edges name but the operator lacks (it is unknown, or a case of it was removed),
 * so that nothing drawn disappears.
 */
export function portsOfNode(doc: Doc, catalog: Catalog, id: string): Ports {
  const { nodes, edges } = flatFlow(doc.flow);
  const node = nodes[id];
  if (!node) return unknownPorts;
  const info = infoOf(catalog, node);
  const known = info ? portsOf(node, info) : unknownPorts;
  const drawn = portsInEdges(edges).get(id);
  if (!drawn) return known;
  return {
    inputs: [
      ...known.inputs,
      ...missing(drawn.inputs, known.inputs).map((name) => ({
        name,
        kind: 'value' as const,
        required: false,
      })),
    ],
    outputs: [
      ...known.outputs,
      ...missing(drawn.outputs, known.outputs).map((name) => ({ name, kind: 'value' as const })),
    ],
  };
}

function missing(drawn: ReadonlySet<string>, known: readonly { name: string }[]): string[] {
  return [...drawn].filter((name) => !known.some((port) => port.name === name));
}

interface DrawnPorts {
  readonly inputs: Set<string>;
  readonly outputs: Set<string>;
}

const drawnPorts = new WeakMap<readonly FlowEdge[], Map<string, DrawnPorts>>();

/** The ports that edges name, by node; computed once per list of edges. */
export function portsInEdges(edges: readonly FlowEdge[]): ReadonlyMap<string, DrawnPorts> {
  const known = drawnPorts.get(edges);
  // A draft changes while it stays the same object.
  if (known && !isDraft(edges)) return known;
  const byNode = new Map<string, DrawnPorts>();
  const of = (id: string) => {
    const ports = byNode.get(id) ?? { inputs: new Set(), outputs: new Set() };
    byNode.set(id, ports);
    return ports;
  };
  for (const edge of edges) {
    of(nodeOf(edge.from)).outputs.add(portOf(edge.from));
    of(nodeOf(edge.to)).inputs.add(portOf(edge.to));
  }
  drawnPorts.set(edges, byNode);
  return byNode;
}

/** The box of a card with these ports. */
export function boxOf(ports: Ports, width = NODE_WIDTH): NodeBox {
  return {
    width,
    height: HEADER_HEIGHT + portRows(ports) * PORT_ROW + FOOTER_HEIGHT,
    ports: [...placesOf(ports.inputs, 'left', 0), ...placesOf(ports.outputs, 'right', width)],
  };
}

/** How many rows the names of ports take. */
export function portRows({ inputs, outputs }: Ports): number {
  return Math.max(rowsOf(inputs), rowsOf(outputs));
}

function rowsOf(ports: readonly unknown[]): number {
  return ports.length > 1 ? ports.length : 0;
}

function placesOf(
  ports: readonly { readonly name: string }[],
  side: PortPlace['side'],
  x: number,
): PortPlace[] {
  return ports.map(({ name }, row) => ({
    name,
    side,
    x,
    y: ports.length === 1 ? SINGLE_PORT : HEADER_HEIGHT + row * PORT_ROW + PORT_ROW / 2,
  }));
}

const boxes = new WeakMap<FlowNode, { edges: readonly FlowEdge[]; catalog: Catalog; box: NodeBox }>();

/** The box of a node as a card; cached while node, edges and catalog stay the same. `frames.ts` has that of what is drawn. */
export function boxOfNode(doc: Doc, catalog: Catalog, id: string): NodeBox {
  const { nodes, edges } = flatFlow(doc.flow);
  const node = nodes[id];
  const width = isStart(node) ? START_WIDTH : NODE_WIDTH;
  // A draft changes while it stays the same object.
  if (!node || isDraft(node) || isDraft(edges)) return boxOf(portsOfNode(doc, catalog, id), width);
  const known = boxes.get(node);
  if (known?.edges === edges && known.catalog === catalog) return known.box;
  const box = boxOf(portsOfNode(doc, catalog, id), width);
  boxes.set(node, { edges, catalog, box });
  return box;
}

/** A rectangle in flow coordinates; `x` and `y` are its top left corner. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The viewport that shows a rectangle in a canvas of the given size, at most at 100 %. */
export function viewportFor(
  bounds: Bounds,
  canvas: { width: number; height: number },
  margin = 60,
): Point & { zoom: number } {
  const zoom = Math.min(
    1,
    (canvas.width - 2 * margin) / bounds.width,
    (canvas.height - 2 * margin) / bounds.height,
  );
  const safe = Math.max(0.05, zoom);
  return {
    zoom: safe,
    x: canvas.width / 2 - (bounds.x + bounds.width / 2) * safe,
    y: canvas.height / 2 - (bounds.y + bounds.height / 2) * safe,
  };
}

/** The name of the node, otherwise the title of its operator, otherwise its type. */
export function titleOf(node: FlowNode, catalog: Catalog): string {
  return withoutDirectionMarks(node.name ?? infoOf(catalog, node)?.title ?? node.operator);
}
