import type { Edge, Node } from '@xyflow/react';
import type { Catalog } from '#shared/catalog.ts';
import type { FlowEdge } from '#shared/flow.ts';
import { ERROR_PORT } from '#engine/check';
import { type Doc, type EdgeId, edgeId, type Point } from '../document/document.ts';
import { nodeOf, portOf } from '../document/edit.ts';
import { flatDoc, holdersOf } from '../document/flat.ts';
import { framesOf, hiddenNodes } from '../document/frames.ts';
import type { Bounds } from '../document/geometry.ts';
import {
  type FlowShapes,
  handlesOf,
  type NodeShape,
  type OperatorData,
  type PortLook,
  readFlow,
  rereadNodes,
} from './node-shapes.ts';
import { nodeColorOf } from '../document/node-color.ts';
import { type Note, noteBox, noteKey } from '../document/notes.ts';

export type { OperatorData, PortLook, ShownPort } from './node-shapes.ts';

/**
 * The document in React Flow's format.
 *
 * P1. An unchanged node or edge is the same object as before, so that the canvas does not redraw it.
 * P2. Sizes and handles are known (`geometry.ts`), never measured, so that invisible nodes need not be mounted.
 * P3. Positions of a current drag are in `view.moved` and nowhere else.
 */

/** A node that is drawn as a card. */
export type OperatorCanvasNode = Node<OperatorData, 'operator'>;
/** A node with a body: a frame around the nodes in it, which are nodes of the canvas too, and lie above it. */
export type FrameCanvasNode = Node<OperatorData, 'frame'>;
export type NoteCanvasNode = Node<{ readonly note: Note }, 'note'>;
export type CanvasNode = OperatorCanvasNode | FrameCanvasNode | NoteCanvasNode;
/** `pick`: the field of the value that the edge carries. */
export type CanvasEdge = Edge<{ readonly look: PortLook; readonly pick: string | undefined }, 'wire'>;

/** The parts of a drawing that are not in the document. */
export interface View {
  readonly selectedNodes: ReadonlySet<string>;
  readonly selectedEdges: ReadonlySet<EdgeId>;
  /** By the id in the layout file. */
  readonly selectedNotes: ReadonlySet<string>;
  /** Current positions of dragged items, by canvas id. */
  readonly moved: ReadonlyMap<string, Point>;
  /** Sizes of notes and frames that are being resized, by canvas id. */
  readonly sized: ReadonlyMap<string, { width: number; height: number }>;
}

/** A drawing with all that it was made of, so that the next one can keep the unchanged parts. */
export interface Projection extends FlowShapes {
  readonly layout: Doc['layout'];
  /** Nodes of collapsed containers, which are not drawn. */
  readonly hidden: ReadonlySet<string>;
  readonly view: View;
  readonly nodes: readonly CanvasNode[];
  readonly edges: readonly CanvasEdge[];
  /** `nodes` by canvas id. */
  readonly byId: ReadonlyMap<string, CanvasNode>;
  readonly edgeById: ReadonlyMap<string, CanvasEdge>;
}

/** Makes the drawing of a document. `previous`: the drawing before, for P1; undefined for the first one. */
export function project(
  nested: Doc,
  catalog: Catalog,
  view: View,
  previous: Projection | undefined,
): Projection {
  const doc = flatDoc(nested);
  const { flow, layout } = doc;
  const hidden = sameSet(previous?.hidden, hiddenNodes(doc));
  const { kinds, streamed, shapes } = shapesOf(doc, catalog, previous);
  const isStill = previous && hasSameNodes({ layout, shapes, view }, previous);
  const nodes = isStill ? previous.nodes : nodesOf({ doc, catalog, shapes, hidden }, view, previous);
  const known = { nodes, flow, layout, hidden, catalog, kinds, streamed, shapes, view };
  const byId = nodes === previous?.nodes ? previous.byId : new Map(nodes.map((node) => [node.id, node]));
  if (previous && hasSameEdges(known, previous)) {
    return { ...known, byId, edges: previous.edges, edgeById: previous.edgeById };
  }
  const edges = unchanged(previous?.edges, edgesOf(known, previous));
  return { ...known, byId, edges, edgeById: new Map(edges.map((edge) => [edge.id, edge])) };
}

function shapesOf(doc: Doc, catalog: Catalog, previous: Projection | undefined) {
  if (previous?.flow === doc.flow && previous.catalog === catalog) return previous;
  return rereadNodes(doc, catalog, previous) ?? readFlow(doc, catalog, previous?.shapes);
}

/** Whether the data from which nodes and notes are drawn are unchanged, as while somebody types into a setting. */
function hasSameNodes(now: Pick<Projection, 'layout' | 'shapes' | 'view'>, before: Projection): boolean {
  return (
    before.shapes === now.shapes &&
    before.layout === now.layout &&
    before.view.selectedNodes === now.view.selectedNodes &&
    before.view.selectedNotes === now.view.selectedNotes &&
    before.view.moved === now.view.moved &&
    before.view.sized === now.view.sized
  );
}

/** Whether the data from which edges are drawn and named are unchanged, as while somebody types into a setting. */
function hasSameEdges(
  now: Pick<Projection, 'flow' | 'hidden' | 'kinds' | 'shapes' | 'view'>,
  before: Projection,
): boolean {
  return (
    now.flow.edges === before.flow.edges &&
    now.kinds === before.kinds &&
    now.hidden === before.hidden &&
    now.view.selectedEdges === before.view.selectedEdges &&
    (now.shapes === before.shapes || hasSameTitles(now.shapes, before.shapes))
  );
}

function hasSameTitles(now: FlowShapes['shapes'], before: FlowShapes['shapes']): boolean {
  for (const [id, shape] of now) {
    const old = before.get(id);
    if (old !== shape && old?.data.title !== shape.data.title) return false;
  }
  return true;
}

function sameSet(before: ReadonlySet<string> | undefined, now: ReadonlySet<string>): ReadonlySet<string> {
  return before?.size === now.size && [...now].every((id) => before.has(id)) ? before : now;
}

function unchanged<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  return before && before.length === now.length && now.every((item, i) => item === before[i]) ? before : now;
}

interface Drawn {
  readonly doc: Doc;
  readonly catalog: Catalog;
  readonly shapes: ReadonlyMap<string, NodeShape>;
  readonly hidden: ReadonlySet<string>;
}

/** Notes come first, since they lie behind the nodes. */
function nodesOf(drawn: Drawn, view: View, previous: Projection | undefined): readonly CanvasNode[] {
  const nodes = [...notesOf(drawn.doc, view, previous), ...operatorsOf(drawn, view, previous)];
  return unchanged(previous?.nodes, nodes);
}

function operatorsOf(drawn: Drawn, view: View, previous: Projection | undefined): CanvasNode[] {
  const frames = framesOf(drawn.doc, drawn.catalog);
  return [...drawn.shapes].flatMap(([id, shape]): CanvasNode[] => {
    if (drawn.hidden.has(id)) return [];
    const old = previous?.byId.get(id);
    const frame = frames.get(id);
    const size = (frame && view.sized.get(id)) ?? frame ?? shape;
    const box = { ...size, ...placeOf(drawn.doc, view, { id, frame }) };
    const selected = view.selectedNodes.has(id);
    const zIndex = frame ? FRAMES + holdersOf(drawn.doc.flow, id).length : selected ? ABOVE : 0;
    const tint = tintOf(drawn.doc, id);
    const looks = { selected, zIndex, tint, type: frame ? 'frame' : 'operator' } as const;
    return [old?.data === shape.data && looksSo(old, box, looks) ? old : drawnNode(id, shape, box, looks)];
  });
}

interface Looks {
  readonly selected: boolean;
  readonly zIndex: number;
  /** The class of the colour that somebody has given to the node (`canvas.css`). */
  readonly tint: string | undefined;
  readonly type: 'frame' | 'operator';
}

function tintOf(doc: Doc, id: string): string | undefined {
  const color = nodeColorOf(doc, id);
  return color && `weft-tint-${color}`;
}

function placeOf(
  doc: Doc,
  view: View,
  of: { readonly id: string; readonly frame: Point | undefined },
): Point {
  const { x, y } = view.moved.get(of.id) ?? of.frame ?? doc.layout.nodes[of.id] ?? ORIGIN;
  return { x, y };
}

function looksSo(node: CanvasNode, box: Bounds, { selected, zIndex, tint, type }: Looks): boolean {
  const isSame = node.selected === selected && node.zIndex === zIndex && node.className === tint;
  return isAt(node, box) && isSame && node.type === type;
}

function drawnNode(
  id: string,
  { data, handles }: NodeShape,
  box: Bounds,
  { tint, ...looks }: Looks,
): CanvasNode {
  const { x, y, width, height } = box;
  const size = { position: { x, y }, width, height, measured: { width, height } };
  const tinted = tint === undefined ? {} : { className: tint };
  const common = { id, data, ...size, ...looks, ...tinted, ariaLabel: labelOf(data) };
  if (looks.type === 'operator') return { ...common, type: 'operator', handles };
  return { ...common, type: 'frame', handles: handlesOf(data.ports, width), style: PASSES_CLICKS };
}

const ORIGIN: Point = { x: 0, y: 0 };
/** What is selected lies above all other nodes. */
const ABOVE = 1000;
/** Frames lie behind notes and edges, the inner above the outer one. */
const FRAMES = -20;
/** Between its nodes, a frame is the ground of the canvas. */
const PASSES_CLICKS = { pointerEvents: 'none' } as const;

function labelOf({ title, info, operator, summary, disabled, holds }: OperatorData): string {
  const kind = info?.title ?? operator;
  const held = holds !== undefined && `with ${holds === 1 ? '1 node' : `${holds} nodes`} in it`;
  return [title, kind !== title && kind, summary, held, disabled && 'disabled'].filter(Boolean).join(', ');
}

function isAt(node: CanvasNode, { x, y, width, height }: Bounds): boolean {
  const { position } = node;
  return position.x === x && position.y === y && node.width === width && node.height === height;
}

function notesOf(doc: Doc, view: View, previous: Projection | undefined): CanvasNode[] {
  return (doc.layout.notes ?? []).map((note) => {
    const id = noteKey(note.id);
    const { x, y } = view.moved.get(id) ?? note;
    const { width, height } = view.sized.get(id) ?? noteBox(note);
    const selected = view.selectedNotes.has(note.id);
    const old = previous?.byId.get(id);
    const same =
      old?.type === 'note' &&
      old.data.note === note &&
      isAt(old, { x, y, width, height }) &&
      old.selected === selected;
    if (same) return old;
    return {
      id,
      type: 'note',
      position: { x, y },
      data: { note },
      width,
      height,
      measured: { width, height },
      handles: [],
      selected,
      zIndex: selected ? ABOVE - 1 : -1,
      ariaLabel: `Note: ${note.text.slice(0, 80) || 'empty'}`,
    };
  });
}

function edgesOf(
  { flow, hidden, kinds, shapes, view }: Pick<Projection, 'flow' | 'hidden' | 'kinds' | 'shapes' | 'view'>,
  previous: Projection | undefined,
): CanvasEdge[] {
  const isDrawn = (node: string): boolean => shapes.has(node) && !hidden.has(node);
  const edges = new Map<string, CanvasEdge>();
  for (const edge of flow.edges) {
    if (!isDrawn(nodeOf(edge.from)) || !isDrawn(nodeOf(edge.to))) continue;
    const id = edgeId(edge);
    const look: PortLook = portOf(edge.from) === ERROR_PORT ? 'error' : (kinds.get(edge.from) ?? 'value');
    const selected = view.selectedEdges.has(id);
    const ariaLabel = edgeLabel(edge, shapes);
    const old = previous?.edgeById.get(id);
    const same = old?.data?.look === look && old.selected === selected && old.ariaLabel === ariaLabel;
    const data = { look, pick: edge.pick };
    edges.set(id, same ? old : { ...ends(edge), id, type: 'wire', data, selected, ariaLabel });
  }
  return [...edges.values()];
}

function ends(edge: FlowEdge) {
  return {
    source: nodeOf(edge.from),
    sourceHandle: portOf(edge.from),
    target: nodeOf(edge.to),
    targetHandle: portOf(edge.to),
  };
}

function edgeLabel(edge: FlowEdge, shapes: ReadonlyMap<string, NodeShape>): string {
  const name = (ref: string) => shapes.get(nodeOf(ref))?.data.title ?? nodeOf(ref);
  const from = [name(edge.from), portOf(edge.from), edge.pick].filter(Boolean).join(' ');
  return `Edge from ${from} to ${name(edge.to)} ${portOf(edge.to)}`;
}
