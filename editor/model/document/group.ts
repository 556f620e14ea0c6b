import { current, type Draft } from 'immer';
import type { Catalog } from '#shared/catalog.ts';
import type { FlowEdge, FlowNode } from '#shared/flow.ts';
import {
  catalogOfBody,
  ERROR_PORT,
  flowGraph,
  outputKinds,
  portsOf,
  renameNodes,
  topologicalOrder,
} from '#engine/check';
import type { Doc, Point } from './document.ts';
import { addNode, infoOf, nodeOf, portOf, snap } from './edit.ts';
import { flatFlow, graphIn, graphOf, holderOf, idsWithin, nodeIn, outermost } from './flat.ts';
import { boundsOf, drawnBox, firstPlace } from './frames.ts';
import { START_WIDTH, titleOf } from './geometry.ts';
import { moveInto, whyNotInto } from './move-into.ts';

/**
 * Nodes put into the body of a `core.group`, and back. What goes in comes from one output, and what goes out from one node, so that
 * every answer stays as it was. A separate file that is loaded on demand, since renaming in expressions needs the whole language.
 */
export const GROUP = 'core.group';

/** Nodes that can become a body. */
export interface Grouping {
  /** Outermost nodes of the selection. */
  readonly ids: readonly string[];
  readonly holder: string | undefined;
  /** The output that all edges into the selection come from. */
  readonly source: string | undefined;
  /** The node whose output is the result. */
  readonly result: string | undefined;
}

/** What becomes the body, or why it cannot be one. */
export function groupingOf(doc: Doc, catalog: Catalog, selected: Iterable<string>): Grouping | string {
  const ids = outermost(doc.flow, selected);
  const [first] = ids;
  if (first === undefined) return 'Select the nodes for the group first.';
  const holder = holderOf(doc.flow, first);
  if (ids.some((id) => holderOf(doc.flow, id) !== holder))
    return 'The nodes of a group must be in the same frame.';
  const inside = whyNotInside(doc, catalog, ids, holder);
  if (inside !== undefined) return inside;
  const { into, out } = crossing(doc, new Set(ids));
  const sources = [...new Set(into.map(({ from }) => from))];
  if (sources.length > 1)
    return `A group has one input, but these nodes take values from ${named(doc, catalog, sources)}. Join them first.`;
  const [source] = sources;
  if (source !== undefined && isStream(doc, catalog, source))
    return 'A group takes a value, but a stream goes into these nodes. Collect it first.';
  const result = resultOf(doc, catalog, { ids, out });
  if (typeof result === 'string') return result;
  const reader = readerOf(doc, ids, result.node);
  if (reader !== undefined)
    return `“${titleOf(reader, catalog)}” reads a node that is not the result of the group. Connect it, or select it too.`;
  return { ids, holder, source, result: result.node };
}

function whyNotInside(
  doc: Doc,
  catalog: Catalog,
  ids: readonly string[],
  holder: string | undefined,
): string | undefined {
  for (const id of ids) {
    const text = whyNotInto(doc, catalog, id, holder ?? ids[0]);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The edges into the nodes and out of them. */
function crossing({ flow }: Doc, ids: ReadonlySet<string>): { into: FlowEdge[]; out: FlowEdge[] } {
  const { edges } = flatFlow(flow);
  const has = (ref: string): boolean => ids.has(nodeOf(ref));
  return {
    into: edges.filter(({ from, to }) => has(to) && !has(from)),
    out: edges.filter(({ from, to }) => has(from) && !has(to)),
  };
}

/** The only node without a following one among them, from which all edges outwards come. */
function resultOf(
  { flow }: Doc,
  catalog: Catalog,
  { ids, out }: { readonly ids: readonly string[]; readonly out: readonly FlowEdge[] },
): { readonly node: string | undefined } | string {
  const chosen = new Set(ids);
  const { nodes, edges } = flatFlow(flow);
  const title = (id: string): string => `“${titleOf(nodes[id] as FlowNode, catalog)}”`;
  const failing = out.find(({ from }) => portOf(from) === ERROR_PORT);
  if (failing)
    return `The error of ${title(nodeOf(failing.from))} goes to a node outside. Select that node too.`;
  const ends = ids.filter((id) => {
    const info = infoOf(catalog, nodes[id]);
    return !info?.sink && !edges.some(({ from, to }) => nodeOf(from) === id && chosen.has(nodeOf(to)));
  });
  const between = out.find(({ from }) => !ends.includes(nodeOf(from)));
  if (between)
    return `A group gives the result of its last node, but ${title(nodeOf(between.from))}, before it, is connected to a node outside. Select that node too.`;
  const [end, other] = ends;
  if (end !== undefined && other !== undefined)
    return `A group gives one result, but both ${title(end)} and ${title(other)} are at its end. Join them with a merge first.`;
  const info = infoOf(catalog, end === undefined ? undefined : nodes[end]);
  const plain = info
    ? portsOf(nodes[end as string] as FlowNode, info).outputs.filter(({ name }) => name !== ERROR_PORT)
    : [];
  if (out.length > 0 && plain.length > 1)
    return `${title(end as string)} has several outputs, but a group gives one result. Select the nodes behind it too.`;
  return { node: end };
}

function isStream({ flow }: Doc, catalog: Catalog, ref: string): boolean {
  const all = flatFlow(flow);
  const graph = flowGraph(all);
  return outputKinds(all, graph, topologicalOrder(graph).order, catalogOfBody(catalog)).get(ref) === 'stream';
}

function named({ flow }: Doc, catalog: Catalog, refs: readonly string[]): string {
  const titles = new Set(refs.map((ref) => `“${titleOf(nodeIn(flow, nodeOf(ref)) as FlowNode, catalog)}”`));
  return [...titles].join(' and ');
}

/** A node outside whose expressions read one of the nodes, but not the result. */
function readerOf({ flow }: Doc, ids: readonly string[], result: string | undefined): FlowNode | undefined {
  const { nodes } = flatFlow(flow);
  const within = new Set(ids.flatMap((id) => [id, ...idsWithin(nodes[id] ?? {})]));
  const names = new Map(
    [...within].filter((id) => id !== result).map((id) => [id, `${id.slice(0, 50)}_elsewhere`]),
  );
  const outside = Object.entries(nodes).filter(([id, { body }]) => !within.has(id) && !body);
  return outside.find(([id, node]) => renameNodes({ [id]: node }, names)[id] !== node)?.[1];
}

/** Puts the nodes into a new group; returns its id. */
export function group(draft: Draft<Doc>, catalog: Catalog, grouping: Grouping): string {
  const { ids, holder, source, result } = grouping;
  const info = catalog.operators[GROUP];
  const doc = current(draft) as Doc;
  if (!info) return '';
  const edges = crossing(doc, new Set(ids));
  const { x, y } = boundsOf(doc, catalog, ids) ?? { x: 0, y: 0 };
  const id = addNode(draft, info, { x, y }, { holder });
  const start = graphOf(draft.flow, id)?.nodes[id]?.body?.start ?? '';
  moveInto(draft, catalog, ids, id);
  connectGroup(draft, { id, start, source, ...edges });
  if (result !== undefined) rename(draft, new Map([[result, id]]), new Set([id, ...ids]));
  placeGroup(draft, catalog, { id, start, source, first: edges.into[0]?.to });
  return id;
}

interface Wires {
  readonly id: string;
  readonly start: string;
  readonly source: string | undefined;
  readonly into: readonly FlowEdge[];
  readonly out: readonly FlowEdge[];
}

function connectGroup(draft: Draft<Doc>, { id, start, source, into, out }: Wires): void {
  const flow = draft.flow as Doc['flow'];
  const body = graphIn(flow, id);
  const around = graphOf(flow, id);
  if (!body || !around) return;
  // The first of several nodes was connected to the start when it was moved.
  const kept = body.edges.filter(({ from }) => nodeOf(from) !== start);
  body.edges = [...kept, ...into.map((edge) => ({ ...edge, from: `${start}.out` }))];
  const targets = new Map(out.map((edge) => [edge.to, { ...edge, from: `${id}.out` }]));
  if (source !== undefined) around.edges.push({ from: source, to: `${id}.in` });
  around.edges.push(...targets.values());
}

/** Updates the expressions of all nodes but these and what is in them. */
function rename(draft: Draft<Doc>, names: ReadonlyMap<string, string>, without: ReadonlySet<string>): void {
  const visit = (nodes: Record<string, FlowNode>): void => {
    for (const [id, node] of Object.entries(nodes)) {
      if (without.has(id)) continue;
      const { body } = node;
      const { body: _body, ...bare } = node;
      const changed = renameNodes({ [id]: bare as FlowNode }, names)[id];
      if (changed?.params && changed !== bare) Object.assign(node, changed);
      if (body) visit(body.nodes);
    }
  };
  visit(draft.flow.nodes as Record<string, FlowNode>);
}

const GAP = 60;

/** The frame around its nodes, with the start before them; what stands after its source moves to the right until it has room. */
function placeGroup(
  draft: Draft<Doc>,
  catalog: Catalog,
  of: {
    readonly id: string;
    readonly start: string;
    readonly source: string | undefined;
    readonly first: string | undefined;
  },
): void {
  const { id, start, source, first } = of;
  const doc = current(draft) as Doc;
  const node = nodeIn(doc.flow, id);
  const inner = Object.keys(node?.body?.nodes ?? {});
  const bounds = boundsOf(doc, catalog, inner);
  if (!bounds) return;
  const corner = firstPlace(doc, catalog, id);
  const level = first === undefined ? bounds.y : (drawnBox(doc, catalog, nodeOf(first))?.y ?? bounds.y);
  const begin = { x: bounds.x - START_WIDTH - GAP, y: level };
  const frame = { x: begin.x - corner.x, y: Math.min(begin.y, bounds.y) - corner.y };
  draft.layout.nodes[start] = snap(begin);
  const width = bounds.x + bounds.width + corner.x - frame.x;
  const height = bounds.y + bounds.height + corner.x - frame.y;
  draft.layout.nodes[id] = { ...snap(frame), width: Math.max(1, width), height: Math.max(1, height) };
  const before = source === undefined ? undefined : drawnBox(doc, catalog, nodeOf(source));
  if (before) shift(draft, id, { from: bounds.x, by: before.x + before.width + GAP - frame.x });
}

function shift(draft: Draft<Doc>, id: string, { from, by }: { from: number; by: number }): void {
  const { flow } = current(draft) as Doc;
  const holder = holderOf(flow, id);
  const all = flatFlow(flow).nodes;
  if (by <= 0) return;
  const moved = Object.keys(all).filter((one) => {
    const place = draft.layout.nodes[one];
    return one === id || (holderOf(flow, one) === holder && place !== undefined && place.x >= from);
  });
  for (const one of moved.flatMap((top) => [top, ...idsWithin(all[top] ?? {})])) {
    const place: (Point & { x: number }) | undefined = draft.layout.nodes[one];
    if (place) Object.assign(place, { x: Math.round((place.x + by) / 10) * 10 });
  }
}

/** Why a group cannot be dissolved; undefined if it can. */
export function whyNotDissolve({ flow }: Doc, catalog: Catalog, id: string): string | undefined {
  const node = nodeIn(flow, id);
  if (node?.operator !== GROUP || !node.body) return 'Select a group first.';
  if (OWN.some((field) => node[field] !== undefined) || node.params?.['input'] !== undefined)
    return 'The group has settings of its own (its input, errors, retry, limits, items), which its nodes would lose. Remove them first.';
  const isRead = flatFlow(flow).edges.some(({ from }) => nodeOf(from) === id);
  return isRead ? whyNoResult(node.body.nodes, catalog, endsOf(node)) : undefined;
}

const OWN = ['onError', 'retry', 'timeoutMs', 'each', 'cache'] as const;

function whyNoResult(
  nodes: Readonly<Record<string, FlowNode>>,
  catalog: Catalog,
  [end = '', ...others]: readonly string[],
): string | undefined {
  if (others.length > 0 || !nodes[end])
    return 'The result of the group comes from several nodes. Join them with a merge first.';
  const info = infoOf(catalog, nodes[end]);
  return info && plainPorts(nodes[end], info).length !== 1
    ? 'The last node of the group has several outputs. Add a node behind it first.'
    : undefined;
}

function plainPorts(node: FlowNode, info: NonNullable<ReturnType<typeof infoOf>>) {
  return portsOf(node, info).outputs.filter(({ name }) => name !== ERROR_PORT);
}

function endsOf({ body }: Pick<FlowNode, 'body'>): string[] {
  if (!body) return [];
  return Object.keys(body.nodes).filter((id) => !body.edges.some(({ from }) => nodeOf(from) === id));
}

function resultRef(id: string, node: FlowNode | undefined, catalog: Catalog): string | undefined {
  const info = infoOf(catalog, node);
  const [port] = node && info ? plainPorts(node, info) : [];
  return port && `${id}.${port.name}`;
}

/** Puts the nodes of a group back among those around it. Returns their ids. */
export function dissolve(draft: Draft<Doc>, catalog: Catalog, id: string): string[] {
  const doc = current(draft) as Doc;
  const node = nodeIn(doc.flow, id);
  const around = graphIn(draft.flow as Doc['flow'], holderOf(doc.flow, id));
  if (!node?.body || !around) return [];
  const { start, nodes, edges } = node.body;
  const source = around.edges.find(({ to }) => nodeOf(to) === id)?.from;
  const [end] = endsOf(node);
  const result = end === undefined ? undefined : resultRef(end, nodes[end], catalog);
  delete around.nodes[id];
  Object.assign(around.nodes, structuredClone(nodes));
  // An end that is not there any more is that of what was connected to it.
  const moved = (edge: FlowEdge, from: string | undefined): FlowEdge[] =>
    from === undefined ? [] : [{ ...edge, from }];
  around.edges = [
    ...around.edges
      .filter(({ to }) => nodeOf(to) !== id)
      .flatMap((edge) => (nodeOf(edge.from) === id ? moved(edge, result) : [edge])),
    ...edges.flatMap((edge) => moved(edge, nodeOf(edge.from) === start ? source : edge.from)),
  ];
  const names = new Map<string, string>();
  if (end !== undefined) names.set(id, end);
  if (source !== undefined) names.set(start, nodeOf(source));
  rename(draft, names, new Set());
  delete draft.layout.nodes[id];
  delete draft.layout.nodes[start];
  return Object.keys(nodes);
}
