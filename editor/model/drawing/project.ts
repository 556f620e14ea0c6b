import type { Edge, Node } from '@xyflow/react';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowEdge } from '#shared/flow.ts';
import { ERROR_PORT } from '#engine/check';
import { type Doc, type EdgeId, edgeId, type Point } from '../document/document.ts';
import { nodeOf, portOf } from '../document/edit.ts';
import {
  type FlowShapes,
  type NodeShape,
  type OperatorData,
  type PortLook,
  readFlow,
  rereadNodes,
} from './node-shapes.ts';
import { type Note, noteBox, noteKey } from '../document/notes.ts';

export type { OperatorData, PortLook, ShownPort } from './node-shapes.ts';

/**
 * The document in React Flow's format.
 *
 * P1. An unchanged node or edge is the same object as before, so that the canvas does not redraw it.
 * P2. Sizes and handles are known (`geometry.ts`), never measured, so that invisible nodes need not be mounted.
 * P3. Positions of a current drag are in `view.moved` and nowhere else.
 */
export type OperatorCanvasNode = Node<OperatorData, 'operator'>;
export type NoteCanvasNode = Node<{ readonly note: Note }, 'note'>;
export type CanvasNode = OperatorCanvasNode | NoteCanvasNode;
export type CanvasEdge = Edge<{ readonly look: PortLook }, 'wire'>;

export interface View {
  readonly selectedNodes: ReadonlySet<string>;
  readonly selectedEdges: ReadonlySet<EdgeId>;
  readonly selectedNotes: ReadonlySet<string>;
  /** Current positions of dragged items, by canvas id. */
  readonly moved: ReadonlyMap<string, Point>;
  /** Sizes of notes that are being resized, by canvas id. */
  readonly sized: ReadonlyMap<string, { width: number; height: number }>;
}

export interface Projection extends FlowShapes {
  readonly layout: Doc['layout'];
  readonly view: View;
  readonly nodes: readonly CanvasNode[];
  readonly edges: readonly CanvasEdge[];
  readonly byId: ReadonlyMap<string, CanvasNode>;
  readonly edgeById: ReadonlyMap<string, CanvasEdge>;
}

export function project(
  doc: Doc,
  catalog: Catalog,
  view: View,
  previous: Projection | undefined,
): Projection {
  const { flow, layout } = doc;
  const { kinds, streamed, shapes } = shapesOf(doc, catalog, previous);
  const isStill = previous && hasSameNodes({ layout, shapes, view }, previous);
  const nodes = isStill ? previous.nodes : nodesOf(doc, shapes, view, previous);
  const known = { nodes, flow, layout, catalog, kinds, streamed, shapes, view };
  const byId = nodes === previous?.nodes ? previous.byId : new Map(nodes.map((node) => [node.id, node]));
  if (previous && hasSameEdges(known, previous)) {
    return { ...known, byId, edges: previous.edges, edgeById: previous.edgeById };
  }
  const edges = unchanged(previous?.edges, edgesOf(flow, kinds, shapes, { view, previous }));
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
  now: Pick<Projection, 'flow' | 'kinds' | 'shapes' | 'view'>,
  before: Projection,
): boolean {
  return (
    now.flow.edges === before.flow.edges &&
    now.kinds === before.kinds &&
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

function unchanged<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  return before && before.length === now.length && now.every((item, i) => item === before[i]) ? before : now;
}

/** Notes come first, since they lie behind the nodes. */
function nodesOf(
  doc: Doc,
  shapes: ReadonlyMap<string, NodeShape>,
  view: View,
  previous: Projection | undefined,
): readonly CanvasNode[] {
  const nodes = [...notesOf(doc, view, previous), ...operatorsOf(doc, shapes, view, previous)];
  return unchanged(previous?.nodes, nodes);
}

function operatorsOf(
  doc: Doc,
  shapes: ReadonlyMap<string, NodeShape>,
  view: View,
  previous: Projection | undefined,
): CanvasNode[] {
  return [...shapes].map(([id, shape]) => {
    const { x, y } = view.moved.get(id) ?? doc.layout.nodes[id] ?? { x: 0, y: 0 };
    const selected = view.selectedNodes.has(id);
    const old = previous?.byId.get(id);
    if (old?.data === shape.data && isAt(old, { x, y }) && old.selected === selected) return old;
    const { data, width, height, handles } = shape;
    return {
      id,
      type: 'operator',
      position: { x, y },
      data,
      width,
      height,
      measured: { width, height },
      handles,
      selected,
      ariaLabel: labelOf(data),
    };
  });
}

function labelOf({ title, info, operator, summary, disabled }: OperatorData): string {
  const kind = info?.title ?? operator;
  return [title, kind !== title && kind, summary, disabled && 'disabled'].filter(Boolean).join(', ');
}

function isAt(node: CanvasNode, { x, y }: Point): boolean {
  return node.position.x === x && node.position.y === y;
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
      isAt(old, { x, y }) &&
      old.width === width &&
      old.height === height &&
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
      zIndex: -1,
      ariaLabel: `Note: ${note.text.slice(0, 80) || 'empty'}`,
    };
  });
}

function edgesOf(
  flow: Flow,
  kinds: FlowShapes['kinds'],
  shapes: ReadonlyMap<string, NodeShape>,
  { view, previous }: { view: View; previous: Projection | undefined },
): CanvasEdge[] {
  const edges = new Map<string, CanvasEdge>();
  for (const edge of flow.edges) {
    if (!shapes.has(nodeOf(edge.from)) || !shapes.has(nodeOf(edge.to))) continue;
    const id = edgeId(edge);
    const look = portOf(edge.from) === ERROR_PORT ? 'error' : (kinds.get(edge.from) ?? 'value');
    const selected = view.selectedEdges.has(id);
    const ariaLabel = edgeLabel(edge, shapes);
    const old = previous?.edgeById.get(id);
    const same = old?.data?.look === look && old.selected === selected && old.ariaLabel === ariaLabel;
    edges.set(id, same ? old : { ...ends(edge), id, type: 'wire', data: { look }, selected, ariaLabel });
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
  return `Edge from ${name(edge.from)} ${portOf(edge.from)} to ${name(edge.to)} ${portOf(edge.to)}`;
}
