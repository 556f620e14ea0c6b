import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { type FlowEdge, type FlowNode, ID_PATTERN } from '#shared/flow.ts';
import type { Draft } from 'immer';
import { BODY_START, catalogOfBody } from '#engine/check';
import { type Doc, type EdgeId, edgeId, type Point } from './document.ts';
import { flatFlow, graphIn, graphOf, graphsOf, idsWithin } from './flat.ts';

/** Changes of a document, as recipes for `commit`: each is one step to a person. */
type D = Draft<Doc>;

const GRID = 10;

/** A free id based on an operator's name: `template`, `template_2`, … with a number from `first` on. */
export function freshId(taken: Readonly<Record<string, unknown>>, operator: string, first = 2): string {
  const base = (operator.split('.').at(-1) ?? 'node').replace(/[^a-z0-9_]/g, '_').slice(0, 56);
  const name = ID_PATTERN.test(base) ? base : 'node';
  if (!Object.hasOwn(taken, name)) return name;
  for (let n = first; ; n++) if (!Object.hasOwn(taken, `${name}_${n}`)) return `${name}_${n}`;
}

interface InitialSchema {
  readonly default?: unknown;
  readonly initial?: unknown;
}

/** The initial params of a new node: of required fields that a form would show empty, the default or what one begins with. */
export function initialParams(info: OperatorInfo): Record<string, unknown> {
  const properties = (info.params['properties'] ?? {}) as Record<string, InitialSchema>;
  const known = requiredOf(info).flatMap((key) => {
    const value = properties[key]?.default ?? properties[key]?.initial;
    return value === undefined ? [] : [[key, structuredClone(value)] as const];
  });
  return Object.fromEntries(known);
}

/** Whether a new node works only once something has been written into a setting. */
export function wantsWriting(info: OperatorInfo): boolean {
  const properties = (info.params['properties'] ?? {}) as Record<string, InitialSchema>;
  return requiredOf(info).some((key) => properties[key]?.default === undefined);
}

function requiredOf(info: OperatorInfo): readonly string[] {
  return (info.params['required'] ?? []) as string[];
}

/** The node goes into the body of `holder`, or into the flow itself. What usually has a body gets one, with its start in it. */
export function addNode(
  draft: D,
  info: OperatorInfo,
  at: Point,
  { id, holder }: { readonly id?: string; readonly holder?: string | undefined } = {},
): string {
  const taken = flatFlow(draft.flow as Doc['flow']).nodes;
  const fresh = id ?? freshId(taken, info.type);
  const params = initialParams(info);
  const node: FlowNode = { operator: info.type, ...(Object.keys(params).length > 0 && { params }) };
  const graph = graphIn(draft.flow as Doc['flow'], holder) ?? draft.flow;
  graph.nodes[fresh] = node;
  draft.layout.nodes[fresh] = snap(at);
  if (info.body === 'required' || info.body === 'usual') setBody(draft, fresh, info);
  return fresh;
}

/** Gives a node an empty body with a start, or removes the one that it has with all that is in it. */
export function setBody(draft: D, id: string, info: OperatorInfo | undefined): void {
  const node = graphOf(draft.flow, id)?.nodes[id];
  if (!node || (info !== undefined) === (node.body !== undefined)) return;
  if (!info) {
    for (const inner of idsWithin(node)) delete draft.layout.nodes[inner];
    delete node.body;
    return;
  }
  const start = freshId(flatFlow(draft.flow as Doc['flow']).nodes, START_NAMES[info.type] ?? 'given');
  node.body = { start, nodes: {}, edges: [] };
  const { x, y } = draft.layout.nodes[id] ?? { x: 0, y: 0 };
  draft.layout.nodes[start] = { x: x + FIRST_IN_BODY.x, y: y + FIRST_IN_BODY.y };
}

/** Where the start of a new body stands, from the corner of its frame. */
const FIRST_IN_BODY: Point = { x: 30, y: 100 };

const START_NAMES: Readonly<Record<string, string>> = {
  'data.for-each': 'each_item',
  'data.repeat-until': 'so_far',
};

export function snap({ x, y }: Point): Point {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return { x: 0, y: 0 };
  // A file has no -0.
  return { x: Math.round(x / GRID) * GRID + 0, y: Math.round(y / GRID) * GRID + 0 };
}

/** Removes nodes with all that is in them. The start of a body goes with its container only. */
export function removeNodes(draft: D, ids: Iterable<string>): void {
  const gone = new Set(
    [...ids].flatMap((id) => {
      const node = graphOf(draft.flow, id)?.nodes[id];
      return node ? [id, ...idsWithin(node)] : [];
    }),
  );
  for (const id of gone) delete draft.layout.nodes[id];
  const isGone = (e: FlowEdge): boolean => gone.has(nodeOf(e.from)) || gone.has(nodeOf(e.to));
  for (const graph of graphsOf(draft.flow)) {
    for (const id of Object.keys(graph.nodes)) if (gone.has(id)) delete graph.nodes[id];
    if (graph.edges.some(isGone)) graph.edges = graph.edges.filter((e) => !isGone(e));
  }
  forget(draft, gone);
}

/** Takes nodes that are gone out of the groups of the layout. */
function forget({ layout }: D, gone: ReadonlySet<string>): void {
  if (!layout.groups) return;
  for (const group of layout.groups) group.nodes = group.nodes.filter((id) => !gone.has(id));
  layout.groups = layout.groups.filter((g) => g.nodes.length > 0);
}

/** Removes a node and connects its source to its target, if it had exactly one edge on each side. */
export function removeAndBridge(draft: D, id: string): void {
  const edges = graphOf(draft.flow, id)?.edges ?? [];
  const into = edges.filter((e) => nodeOf(e.to) === id);
  const out = edges.filter((e) => nodeOf(e.from) === id && portOf(e.from) !== 'error');
  if (!graphOf(draft.flow, id)?.nodes[id]) return;
  removeNodes(draft, [id]);
  const source = into[0];
  if (into.length !== 1 || !source) return;
  for (const edge of out) addEdge(draft, { ...edge, from: source.from });
}

export function removeEdges(draft: D, ids: Iterable<EdgeId>): void {
  const gone = new Set<string>(ids);
  for (const graph of graphsOf(draft.flow)) {
    if (graph.edges.some((e) => gone.has(edgeId(e))))
      graph.edges = graph.edges.filter((e) => !gone.has(edgeId(e)));
  }
}

/** Both ends are nodes of the flow itself, or of the same body. */
export function addEdge(draft: D, edge: FlowEdge): void {
  const graph = graphOf(draft.flow, nodeOf(edge.to));
  if (!graph || graph.edges.some((e) => edgeId(e) === edgeId(edge))) return;
  graph.edges.push(edge);
}

/** Inserts a node into an edge: its first input and first output replace the edge. */
export function insertOnEdge(
  draft: D,
  id: EdgeId,
  node: string,
  ports: { input: string; output: string },
): void {
  const edge = edgeIn(draft.flow, id);
  if (!edge) return;
  const { from, to, ...rest } = edge;
  removeEdges(draft, [id]);
  addEdge(draft, { from, to: `${node}.${ports.input}` });
  addEdge(draft, { ...rest, from: `${node}.${ports.output}`, to });
}

/** An edge of the flow or of a body; it may be a draft. */
export function edgeIn(flow: Pick<Doc['flow'], 'nodes' | 'edges'>, id: EdgeId): FlowEdge | undefined {
  for (const graph of graphsOf(flow)) {
    const edge = graph.edges.find((e) => edgeId(e) === id);
    if (edge) return edge;
  }
  return undefined;
}

export function moveNodes(draft: D, positions: Readonly<Record<string, Point>>): void {
  for (const [id, at] of Object.entries(positions)) {
    if (!Number.isFinite(at.x) || !Number.isFinite(at.y)) continue;
    const place = draft.layout.nodes[id];
    if (place) Object.assign(place, { x: at.x, y: at.y });
    else draft.layout.nodes[id] = { x: at.x, y: at.y };
  }
}

/**
 * Sets a value anywhere in a node (`params`, `cases`, 0, `when`); `undefined` removes it, and also `params` once they are
 * empty.
 */
export function setInNode(draft: D, id: string, path: readonly (string | number)[], value: unknown): void {
  const node = graphOf(draft.flow, id)?.nodes[id] as Record<string, unknown> | undefined;
  if (node) setAndTidy(node, path, value);
}

/** Sets a value anywhere in the flow (`settings`, `timeoutMs`). */
export function setInFlow(draft: D, path: readonly (string | number)[], value: unknown): void {
  setAndTidy(draft.flow as unknown as Record<string, unknown>, path, value);
}

function setAndTidy(root: Record<string, unknown>, path: readonly (string | number)[], value: unknown): void {
  putAt(root, path, value);
  const [first] = path;
  const holder = path.length > 1 && typeof first === 'string' ? root[first] : undefined;
  if (value === undefined && holder && Object.keys(holder).length === 0) delete root[first as string];
}

/** Sets a field of the node itself: `name`, `onError`, `retry`, … `undefined` removes it. */
export function setNodeField(draft: D, id: string, field: keyof FlowNode, value: unknown): void {
  const node = graphOf(draft.flow, id)?.nodes[id] as Record<string, unknown> | undefined;
  if (!node) return;
  if (value === undefined) delete node[field];
  else node[field] = value;
}

function putAt(root: Record<string, unknown>, path: readonly (string | number)[], value: unknown): void {
  let holder = root as Record<string | number, unknown>;
  path.slice(0, -1).forEach((key, i) => {
    if (typeof holder[key] !== 'object' || holder[key] === null)
      holder[key] = typeof path[i + 1] === 'number' ? [] : {};
    holder = holder[key] as Record<string | number, unknown>;
  });
  const last = path.at(-1);
  if (last === undefined) return;
  if (value !== undefined) holder[last] = value;
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else delete holder[last];
}

export function infoOf(catalog: Catalog, node: { operator: string } | undefined): OperatorInfo | undefined {
  if (node?.operator === BODY_START) return startInfo(catalog);
  return node && Object.hasOwn(catalog.operators, node.operator)
    ? catalog.operators[node.operator]
    : undefined;
}

const starts = new WeakMap<Catalog, OperatorInfo>();

/** The start of a body looks like that of a flow. */
function startInfo(catalog: Catalog): OperatorInfo | undefined {
  const known = starts.get(catalog);
  const info = catalogOfBody(catalog).operators[BODY_START];
  if (known || !info) return known;
  const drawing = catalog.operators['trigger.manual']?.drawing;
  const made = { ...info, ...(drawing !== undefined && { drawing }) };
  starts.set(catalog, made);
  return made;
}

export function nodeOf(ref: string): string {
  return ref.slice(0, ref.indexOf('.'));
}

export function portOf(ref: string): string {
  return ref.slice(ref.indexOf('.') + 1);
}
