import type { NodeHandle, Position } from '@xyflow/react';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { summaryOf } from '#shared/summary.ts';
import {
  catalogOfBody,
  ERROR_PORT,
  type FlowKind,
  flowGraph,
  outputKinds,
  portsOf,
  topologicalOrder,
} from '#engine/check';
import type { Doc } from '../document/document.ts';
import { infoOf } from '../document/edit.ts';
import { flatDoc, hasFrames, holderOf, idsWithin, isStart, nodeCount } from '../document/flat.ts';
import { boxOfNode, PORT_SIZE, portsInEdges, titleOf } from '../document/geometry.ts';

/** Size, ports and looks of nodes: the part of the projection that drags and selections do not change. */

/** `missing`: an edge names the port, but its operator does not have it. */
export type PortLook = 'value' | 'stream' | 'error' | 'missing';

/** A port as a card draws it. */
export interface ShownPort {
  readonly name: string;
  /** `left`: an input; `right`: an output. */
  readonly side: 'left' | 'right';
  readonly look: PortLook;
  readonly connected: boolean;
  readonly required: boolean;
  readonly doc: string | undefined;
  /** Middle of the port, from the node's top. */
  readonly y: number;
}

/** The visible data of a node and nothing else, so that a change of an invisible setting redraws nothing. */
export type OperatorData = {
  readonly operator: string;
  readonly disabled: boolean;
  readonly info: OperatorInfo | undefined;
  readonly title: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** It runs once for each item. */
  readonly each: boolean;
  /** How many nodes are in its body; undefined for a node without one. */
  readonly holds: number | undefined;
  readonly ports: readonly ShownPort[];
};

/** The part of a node that follows from the flow, wherever the node is. */
export interface NodeShape {
  readonly data: OperatorData;
  readonly width: number;
  readonly height: number;
  readonly handles: NodeHandle[];
  /** The data that determine ports and handles. */
  readonly key: string;
}

/** The data derived from the flow, with the data that they were derived from. */
export interface FlowShapes {
  readonly flow: Flow;
  readonly catalog: Catalog;
  readonly kinds: ReadonlyMap<string, FlowKind>;
  /** Inputs that receive a stream. */
  readonly streamed: ReadonlySet<string>;
  readonly shapes: ReadonlyMap<string, NodeShape>;
}

type Read = Pick<FlowShapes, 'kinds' | 'streamed' | 'shapes'>;

/** The derived data of the flow, without positions. Nodes are in the order in which they run, for Tab. */
export function readFlow(
  nested: Doc,
  catalog: Catalog,
  before: ReadonlyMap<string, NodeShape> | undefined,
): Read {
  const doc = flatDoc(nested);
  const { flow } = doc;
  const graph = flowGraph(flow);
  const { order, rest } = topologicalOrder(graph);
  const kinds = outputKinds(flow, graph, order, catalogOfBody(catalog));
  const streamed = streamedInputs(flow, kinds);
  const shapes = new Map<string, NodeShape>();
  for (const id of withBodies(flow, [...order, ...rest])) {
    const shape = shapeOf(doc, catalog, { id, node: flow.nodes[id] as FlowNode, kinds, streamed });
    shapes.set(id, oldIfAlike(before?.get(id), shape));
  }
  return { kinds, streamed, shapes };
}

/** The nodes of a body come after the node that runs it. */
function withBodies(flow: Flow, order: readonly string[]): string[] {
  const byHolder = Map.groupBy(order, (id) => holderOf(flow, id));
  const from = (holder: string | undefined): string[] =>
    (byHolder.get(holder) ?? []).flatMap((id) => [id, ...(flow.nodes[id]?.body ? from(id) : [])]);
  return byHolder.size > 1 ? from(undefined) : [...order];
}

function oldIfAlike(old: NodeShape | undefined, shape: NodeShape): NodeShape {
  const isAlike =
    old?.key === shape.key &&
    old.data.info === shape.data.info &&
    old.data.title === shape.data.title &&
    old.data.summary === shape.data.summary &&
    old.data.each === shape.data.each &&
    old.data.holds === shape.data.holds &&
    old.data.operator === shape.data.operator &&
    old.data.disabled === shape.data.disabled;
  return isAlike ? old : shape;
}

/**
 * The same after a change of settings only, as from typing: the graph is still the same, so only the changed nodes are
 * updated. Undefined if ports or edges may have changed.
 */
export function rereadNodes(
  nested: Doc,
  catalog: Catalog,
  previous: FlowShapes | undefined,
): Read | undefined {
  const doc = flatDoc(nested);
  const { flow } = doc;
  if (!previous || previous.catalog !== catalog || previous.flow.edges !== flow.edges) return undefined;
  if (nodeCount(flow) !== previous.shapes.size || !hasSameHolders(flow, previous.flow)) return undefined;
  const changed = Object.keys(flow.nodes).flatMap((id): [string, FlowNode][] => {
    const node = flow.nodes[id];
    return node && node !== previous.flow.nodes[id] ? [[id, node]] : [];
  });
  if (!changed.every(([id, node]) => hasSamePorts(node, previous.flow.nodes[id], catalog))) return undefined;
  const { kinds, streamed } = previous;
  const redrawn = changed.flatMap(([id, node]): [string, NodeShape][] => {
    const old = previous.shapes.get(id);
    const shape = oldIfAlike(old, shapeOf(doc, catalog, { id, node, kinds, streamed }));
    return shape === old ? [] : [[id, shape]];
  });
  return {
    kinds,
    streamed,
    shapes: redrawn.length === 0 ? previous.shapes : new Map([...previous.shapes, ...redrawn]),
  };
}

function hasSameHolders(now: Flow, before: Flow): boolean {
  if (!hasFrames(now) && !hasFrames(before)) return true;
  return Object.keys(now.nodes).every((id) => holderOf(now, id) === holderOf(before, id));
}

/** Whether a change of a node left its ports unchanged. */
export function hasSamePorts(node: FlowNode, before: FlowNode | undefined, catalog: Catalog): boolean {
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
  readonly kinds: FlowShapes['kinds'];
  readonly streamed: FlowShapes['streamed'];
}

function shapeOf(doc: Doc, catalog: Catalog, parts: ShapeParts): NodeShape {
  const { id, node, kinds, streamed } = parts;
  const info = infoOf(catalog, node);
  const known = info ? portsOf(node, info) : { inputs: [], outputs: [] };
  const drawn = portsInEdges(doc.flow.edges).get(id);
  const box = boxOfNode(doc, catalog, id);
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
    data: {
      operator: node.operator,
      disabled: node.disabled === true,
      info,
      title: titleOf(node, catalog),
      summary: isStart(node)
        ? `nodes.${id}`
        : info
          ? summaryOf(node, info)
          : `Unknown operator ${node.operator}`,
      each: node.each !== undefined,
      // Its start is one of them.
      holds: node.body && idsWithin(node).length - 1,
      ports,
    },
    width: box.width,
    height: box.height,
    handles: handlesOf(ports, box.width),
    key: ports
      .map((p) => `${p.side}${p.name}:${p.look}${p.connected ? '+' : ''}${p.required ? '!' : ''}`)
      .join(' '),
  };
}

function lookOf(
  port: { doc?: string | undefined; required?: boolean } | undefined,
  stream: boolean,
): Pick<ShownPort, 'look' | 'required' | 'doc'> {
  const look = !port ? 'missing' : stream ? 'stream' : 'value';
  return { look, required: port?.required ?? false, doc: port?.doc };
}

/** The ports of a node of this width, as React Flow knows them. */
export function handlesOf(ports: readonly ShownPort[], width: number): NodeHandle[] {
  return ports.map((port) => {
    const left = port.side === 'left';
    return {
      id: port.name,
      type: left ? 'target' : 'source',
      position: port.side as Position,
      x: (left ? 0 : width) - PORT_SIZE / 2,
      y: port.y - PORT_SIZE / 2,
      width: PORT_SIZE,
      height: PORT_SIZE,
    };
  });
}
