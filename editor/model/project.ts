import type { Edge, Node, NodeHandle, Position } from '@xyflow/react';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import { ERROR_PORT, type FlowKind, flowGraph, outputKinds, portsOf, topologicalOrder } from '#engine/check';
import { type Doc, type EdgeId, edgeId, type Point } from './document.ts';
import { infoOf, nodeOf, portOf } from './edit.ts';
import { boxOf, NODE_WIDTH, PORT_SIZE, portsInEdges, portsOfNode, titleOf } from './geometry.ts';
import { type Note, noteBox, noteKey } from './notes.ts';

/**
 * The document as React Flow wants it.
 *
 * P1. A node or edge of which nothing changed is the same object as before: that is what keeps the canvas from drawing it again.
 * P2. Sizes and handles are known (`geometry.ts`), never measured, so that what is out of view need not be mounted.
 * P3. Positions of a drag that has not ended are in `view.moved` and nowhere else.
 */
export type PortLook = 'value' | 'stream' | 'error' | 'missing';

export interface ShownPort {
  readonly name: string;
  readonly side: 'left' | 'right';
  readonly look: PortLook;
  readonly connected: boolean;
  readonly required: boolean;
  readonly doc: string | undefined;
  /** Middle of the port, from the node's top. */
  readonly y: number;
}

export type OperatorData = {
  readonly node: FlowNode;
  readonly info: OperatorInfo | undefined;
  readonly title: string;
  readonly ports: readonly ShownPort[];
};

export type OperatorCanvasNode = Node<OperatorData, 'operator'>;
export type NoteCanvasNode = Node<{ readonly note: Note }, 'note'>;
export type CanvasNode = OperatorCanvasNode | NoteCanvasNode;
export type CanvasEdge = Edge<{ readonly look: PortLook }, 'wire'>;

export interface View {
  readonly selectedNodes: ReadonlySet<string>;
  readonly selectedEdges: ReadonlySet<EdgeId>;
  readonly selectedNotes: ReadonlySet<string>;
  /** Where dragged things stand at the moment, by canvas id. */
  readonly moved: ReadonlyMap<string, Point>;
  /** Sizes of notes that are being resized, by canvas id. */
  readonly sized: ReadonlyMap<string, { width: number; height: number }>;
}

interface Shape {
  readonly data: OperatorData;
  readonly width: number;
  readonly height: number;
  readonly handles: NodeHandle[];
  /** What decides about the handles. */
  readonly key: string;
}

export interface Projection {
  readonly nodes: readonly CanvasNode[];
  readonly edges: readonly CanvasEdge[];
  readonly flow: Flow;
  readonly catalog: Catalog;
  readonly kinds: ReadonlyMap<string, FlowKind>;
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly byId: ReadonlyMap<string, CanvasNode>;
  readonly edgeById: ReadonlyMap<string, CanvasEdge>;
}

export function project(
  doc: Doc,
  catalog: Catalog,
  view: View,
  previous: Projection | undefined,
): Projection {
  const { flow } = doc;
  const sameFlow = previous?.flow === flow && previous.catalog === catalog;
  const { kinds, shapes } = sameFlow
    ? previous
    : (rereadNodes(doc, catalog, previous) ?? readFlow(doc, catalog, previous?.shapes));
  const nodes = [...notesOf(doc, view, previous), ...operatorsOf(doc, shapes, view, previous)];
  const edges = edgesOf(flow, kinds, shapes, { view, previous });
  return {
    nodes: unchanged(previous?.nodes, nodes),
    edges: unchanged(previous?.edges, edges),
    flow,
    catalog,
    kinds,
    shapes,
    byId: new Map(nodes.map((node) => [node.id, node])),
    edgeById: new Map(edges.map((edge) => [edge.id, edge])),
  };
}

function unchanged<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  return before && before.length === now.length && now.every((item, i) => item === before[i]) ? before : now;
}

/** What follows from the flow alone, wherever things stand. Nodes come in the order in which they run: Tab follows it. */
function readFlow(
  doc: Doc,
  catalog: Catalog,
  before: ReadonlyMap<string, Shape> | undefined,
): Pick<Projection, 'kinds' | 'shapes'> {
  const { flow } = doc;
  const graph = flowGraph(flow);
  const { order, rest } = topologicalOrder(graph);
  const kinds = outputKinds(flow, graph, order, catalog);
  const streamed = streamedInputs(flow, kinds);
  const shapes = new Map<string, Shape>();
  for (const id of [...order, ...rest]) {
    const shape = shapeOf(doc, catalog, { id, node: flow.nodes[id] as FlowNode, kinds, streamed });
    const old = before?.get(id);
    const same =
      old?.data.node === shape.data.node && old.data.info === shape.data.info && old.key === shape.key;
    shapes.set(id, same ? old : shape);
  }
  return { kinds, shapes };
}

/**
 * The same after a change of settings alone, which is what typing makes: what the graph says still holds, so only the nodes
 * that changed are looked at. Undefined where ports or edges may have changed.
 */
function rereadNodes(
  doc: Doc,
  catalog: Catalog,
  previous: Projection | undefined,
): Pick<Projection, 'kinds' | 'shapes'> | undefined {
  const { flow } = doc;
  if (!previous || previous.catalog !== catalog || previous.flow.edges !== flow.edges) return undefined;
  const nodes = Object.entries(flow.nodes);
  if (nodes.length !== previous.shapes.size) return undefined;
  const changed = nodes.filter(([id, node]) => node !== previous.flow.nodes[id]);
  if (!changed.every(([id, node]) => hasSamePorts(node, previous.flow.nodes[id], catalog))) return undefined;
  const { kinds } = previous;
  const shapes = new Map(previous.shapes);
  const streamed = streamedInputs(flow, kinds);
  for (const [id, node] of changed) shapes.set(id, shapeOf(doc, catalog, { id, node, kinds, streamed }));
  return { kinds, shapes };
}

function hasSamePorts(node: FlowNode, before: FlowNode | undefined, catalog: Catalog): boolean {
  if (!before || node.operator !== before.operator || node.onError !== before.onError) return false;
  const info = infoOf(catalog, node);
  return [info?.derivedInputs, info?.derivedOutputs].every(
    (spec) => !spec || node.params?.[spec.param] === before.params?.[spec.param],
  );
}

function streamedInputs(flow: Flow, kinds: ReadonlyMap<string, FlowKind>): ReadonlySet<string> {
  return new Set(flow.edges.filter((e) => kinds.get(e.from) === 'stream').map((e) => e.to));
}

interface ShapeParts {
  readonly id: string;
  readonly node: FlowNode;
  readonly kinds: ReadonlyMap<string, FlowKind>;
  /** Inputs into which a stream flows. */
  readonly streamed: ReadonlySet<string>;
}

function shapeOf(doc: Doc, catalog: Catalog, parts: ShapeParts): Shape {
  const { id, node, kinds, streamed } = parts;
  const info = infoOf(catalog, node);
  const known = info ? portsOf(node, info) : { inputs: [], outputs: [] };
  const drawn = portsInEdges(doc.flow.edges).get(id);
  const box = boxOf(portsOfNode(doc, catalog, id));
  const ports = box.ports.map(({ name, side, y }): ShownPort => {
    const ref = `${id}.${name}`;
    const place = { name, side, y };
    if (side === 'left') {
      const input = known.inputs.find((p) => p.name === name);
      const stream = input?.kind === 'stream' || streamed.has(ref);
      return { ...place, ...lookOf(input, stream), connected: drawn?.inputs.has(name) ?? false };
    }
    const output = known.outputs.find((p) => p.name === name);
    const stream = (kinds.get(ref) ?? output?.kind) === 'stream';
    const look = lookOf(output, stream);
    const isError = output !== undefined && name === ERROR_PORT;
    return {
      ...place,
      ...look,
      ...(isError && { look: 'error' }),
      connected: drawn?.outputs.has(name) ?? false,
    };
  });
  return {
    data: { node, info, title: titleOf(node, catalog), ports },
    width: box.width,
    height: box.height,
    handles: ports.map(handleOf),
    key: ports.map((p) => `${p.side}${p.name}:${p.look}${p.connected ? '+' : ''}`).join(' '),
  };
}

function lookOf(
  port: { doc?: string | undefined; required?: boolean } | undefined,
  stream: boolean,
): Pick<ShownPort, 'look' | 'required' | 'doc'> {
  const look = !port ? 'missing' : stream ? 'stream' : 'value';
  return { look, required: port?.required ?? false, doc: port?.doc };
}

function handleOf(port: ShownPort): NodeHandle {
  const left = port.side === 'left';
  return {
    id: port.name,
    type: left ? 'target' : 'source',
    position: port.side as Position,
    x: (left ? 0 : NODE_WIDTH) - PORT_SIZE / 2,
    y: port.y - PORT_SIZE / 2,
    width: PORT_SIZE,
    height: PORT_SIZE,
  };
}

function operatorsOf(
  doc: Doc,
  shapes: ReadonlyMap<string, Shape>,
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
      ariaLabel: `${data.title}, ${data.info?.title ?? data.node.operator}${data.node.disabled ? ', disabled' : ''}`,
    };
  });
}

function isAt(node: CanvasNode, { x, y }: Point): boolean {
  return node.position.x === x && node.position.y === y;
}

/** Notes lie behind the nodes. */
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
  kinds: ReadonlyMap<string, FlowKind>,
  shapes: ReadonlyMap<string, Shape>,
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

function edgeLabel(edge: FlowEdge, shapes: ReadonlyMap<string, Shape>): string {
  const name = (ref: string) => shapes.get(nodeOf(ref))?.data.title ?? nodeOf(ref);
  return `Edge from ${name(edge.from)} ${portOf(edge.from)} to ${name(edge.to)} ${portOf(edge.to)}`;
}
