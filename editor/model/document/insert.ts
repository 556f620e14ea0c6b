import { current, type Draft } from 'immer';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { ERROR_PORT, portsOf } from '#engine/check';
import { mayConnect, verdictsFor } from './connect.ts';
import type { Doc, EdgeId, Point } from './document.ts';
import { addEdge, addNode, edgeIn, insertOnEdge, moveNodes, nodeOf, snap } from './edit.ts';
import { type Fit, hasRoomFor, holderAt, operatorsFor, type Spot } from './fits.ts';
import { flatFlow, holderOf, idsWithin } from './flat.ts';
import { drawnBox, freePlace, NEW_FRAME } from './frames.ts';
import { boxOf, HEADER_HEIGHT, NODE_WIDTH, portsOfNode } from './geometry.ts';
import { withDownstream } from './neighbours.ts';

/** Adding a node with its edges, as one step. */
const GAP = 80;

/** The top left corner of a node that should appear at the pointer: by its header, or by the wire's port. */
export function cornerAt(info: OperatorInfo, pointer: Point, spot: Spot = {}): Point {
  const y = pointer.y - (boxOf(portsOf({ operator: info.type }, info)).ports[0]?.y ?? HEADER_HEIGHT);
  if (spot.wire?.from !== undefined) return { x: pointer.x, y };
  if (spot.wire?.to !== undefined) return { x: pointer.x - NODE_WIDTH, y };
  return { x: pointer.x - NODE_WIDTH / 2, y: pointer.y - HEADER_HEIGHT / 2 };
}

/** Adds a node with its top left corner at a position, connected or inserted as the spot says. Returns the new node's id. */
export function insertOperator(
  draft: Draft<Doc>,
  catalog: Catalog,
  info: OperatorInfo,
  where: Spot & { readonly at: Point },
): string {
  const doc = current(draft) as Doc;
  const fit: Partial<Fit> = operatorsFor(doc, catalog, where).find((f) => f.type === info.type) ?? {};
  const found = holderAt(doc, where);
  // Bodies are in each other up to a depth; a frame that would be deeper stands in the flow itself.
  const holder = hasRoomFor(doc, info, found) ? found : undefined;
  const { edge, wire } = where;
  if (edge !== undefined && fit.input && fit.output) {
    const at = makeRoom(draft, catalog, edge as EdgeId, widthOf(info)) ?? where.at;
    const id = addNode(draft, info, at, { holder });
    insertOnEdge(draft, edge as EdgeId, id, { input: fit.input, output: fit.output });
    return id;
  }
  const size = hasFrame(info) ? { size: NEW_FRAME } : {};
  const id = addNode(draft, info, freePlace(doc, where.at, { holder, ...size }), { holder });
  if (wire) connectNew(draft, id, { wire, fit });
  return id;
}

function connectNew(
  draft: Draft<Doc>,
  id: string,
  { wire, fit }: { readonly wire: NonNullable<Spot['wire']>; readonly fit: Partial<Fit> },
): void {
  if (wire.from && fit.input) addEdge(draft, { from: wire.from, to: `${id}.${fit.input}` });
  if (wire.to && fit.output) addEdge(draft, { from: `${id}.${fit.output}`, to: wire.to });
}

function hasFrame(info: OperatorInfo): boolean {
  return info.body === 'usual' || info.body === 'required';
}

function widthOf(info: OperatorInfo): number {
  return hasFrame(info) ? NEW_FRAME.width : NODE_WIDTH;
}

/**
 * Whether a node that is there already can be put into an edge: it is in the same frame, nothing leads to it or from it yet, and its
 * ports fit.
 */
export function fitsInto(doc: Doc, catalog: Catalog, id: string, edge: EdgeId): Fit | undefined {
  const { nodes, edges } = flatFlow(doc.flow);
  const found = edgeIn(doc.flow, edge);
  const isWired = edges.some((e) => nodeOf(e.from) === id || nodeOf(e.to) === id);
  if (isWired || !found || holderOf(doc.flow, nodeOf(found.from)) !== holderOf(doc.flow, id))
    return undefined;
  return operatorsFor(doc, catalog, { edge }).find((fit) => fit.type === nodes[id]?.operator);
}

/** Puts a node that is there already into an edge, with room for it. */
export function insertNode(draft: Draft<Doc>, catalog: Catalog, id: string, edge: EdgeId): void {
  const doc = current(draft) as Doc;
  const fit = fitsInto(doc, catalog, id, edge);
  if (!fit?.input || !fit.output) return;
  const at = makeRoom(draft, catalog, edge, drawnBox(doc, catalog, id)?.width ?? NODE_WIDTH);
  insertOnEdge(draft, edge, id, { input: fit.input, output: fit.output });
  if (at) moveNodes(draft, { [id]: snap(at) });
}

/** Moves everything after an edge to the right until a node fits between its ends; returns the position for it. */
function makeRoom(draft: Draft<Doc>, catalog: Catalog, id: EdgeId, width: number): Point | undefined {
  const doc = current(draft) as Doc;
  const edge = edgeIn(doc.flow, id);
  const source = edge && drawnBox(doc, catalog, nodeOf(edge.from));
  const target = edge && drawnBox(doc, catalog, nodeOf(edge.to));
  if (!edge || !source || !target) return undefined;
  const free = target.x - (source.x + source.width);
  const missing = width + 2 * GAP - free;
  const at = {
    x: source.x + source.width + Math.max(GAP, (free - width) / 2),
    y: (source.y + target.y) / 2,
  };
  if (missing > 0 && target.x > source.x) {
    const after = [...withDownstream(doc, [nodeOf(edge.to)])];
    const moved = after.filter((node) => (drawnBox(doc, catalog, node)?.x ?? -Infinity) >= target.x);
    for (const node of moved.flatMap((one) => [one, ...idsWithin(flatFlow(doc.flow).nodes[one] ?? {})])) {
      const place = draft.layout.nodes[node];
      if (place) place.x += missing;
    }
  }
  return at;
}

/** The position of a node that follows another one. */
export function besides(doc: Doc, catalog: Catalog, id: string, info?: OperatorInfo): Point {
  const size = info && hasFrame(info) ? NEW_FRAME : undefined;
  const { x, y, width } = drawnBox(doc, catalog, id) ?? { x: 0, y: 0, width: NODE_WIDTH };
  return freePlace(doc, { x: x + width + GAP, y }, { holder: holderOf(doc.flow, id), ...(size && { size }) });
}

/** The output that a following node of this operator is connected to: a free one first; undefined if none fits. */
export function outputFor(doc: Doc, catalog: Catalog, id: string, type: string): string | undefined {
  const outputs = portsOfNode(doc, catalog, id).outputs.filter((port) => port.name !== ERROR_PORT);
  const refs = outputs.map((port) => `${id}.${port.name}`);
  const fitting = refs.filter((from) => {
    const fit = operatorsFor(doc, catalog, { wire: { from } }).find((f) => f.type === type);
    return fit?.input !== undefined;
  });
  return fitting.find((from) => !flatFlow(doc.flow).edges.some((e) => e.from === from)) ?? fitting[0];
}

/** The first input of a node that a wire can be connected to. */
export function inputThatTakes(doc: Doc, catalog: Catalog, from: string, node: string): string | undefined {
  const judge = verdictsFor(doc, catalog, { from });
  return portsOfNode(doc, catalog, node)
    .inputs.map((port) => `${node}.${port.name}`)
    .find((ref) => judge(ref).ok);
}

/** The first output of a node that fits a wire to an input. */
export function outputThatFeeds(doc: Doc, catalog: Catalog, to: string, node: string): string | undefined {
  return portsOfNode(doc, catalog, node)
    .outputs.map((port) => `${node}.${port.name}`)
    .find((ref) => mayConnect(doc, catalog, ref, to).ok);
}
