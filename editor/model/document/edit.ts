import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { type FlowEdge, type FlowNode, ID_PATTERN } from '#shared/flow.ts';
import type { Draft } from 'immer';
import { type Doc, type EdgeId, edgeId, type Point } from './document.ts';

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

/** The initial params of a new node: the schema's defaults for required fields that a form would show empty. */
export function initialParams(info: OperatorInfo): Record<string, unknown> {
  const properties = (info.params['properties'] ?? {}) as Record<string, { default?: unknown }>;
  const required = (info.params['required'] ?? []) as string[];
  const withDefault = Object.entries(properties).filter(
    ([key, schema]) => required.includes(key) && schema.default !== undefined,
  );
  return Object.fromEntries(withDefault.map(([key, schema]) => [key, structuredClone(schema.default)]));
}

export function addNode(
  draft: D,
  info: OperatorInfo,
  at: Point,
  id = freshId(draft.flow.nodes, info.type),
): string {
  const params = initialParams(info);
  const node: FlowNode = { operator: info.type, ...(Object.keys(params).length > 0 && { params }) };
  draft.flow.nodes[id] = node;
  draft.layout.nodes[id] = snap(at);
  return id;
}

export function snap({ x, y }: Point): Point {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return { x: 0, y: 0 };
  return { x: Math.round(x / GRID) * GRID, y: Math.round(y / GRID) * GRID };
}

export function removeNodes(draft: D, ids: Iterable<string>): void {
  const gone = new Set(ids);
  for (const id of gone) {
    delete draft.flow.nodes[id];
    delete draft.layout.nodes[id];
  }
  draft.flow.edges = draft.flow.edges.filter((e) => !gone.has(nodeOf(e.from)) && !gone.has(nodeOf(e.to)));
  for (const group of draft.layout.groups ?? []) group.nodes = group.nodes.filter((id) => !gone.has(id));
  if (draft.layout.groups) draft.layout.groups = draft.layout.groups.filter((g) => g.nodes.length > 0);
}

/** Removes a node and connects its source to its target, if it had exactly one edge on each side. */
export function removeAndBridge(draft: D, id: string): void {
  const into = draft.flow.edges.filter((e) => nodeOf(e.to) === id);
  const out = draft.flow.edges.filter((e) => nodeOf(e.from) === id && portOf(e.from) !== 'error');
  removeNodes(draft, [id]);
  const source = into[0];
  if (into.length !== 1 || !source) return;
  for (const edge of out) addEdge(draft, { ...edge, from: source.from });
}

export function removeEdges(draft: D, ids: Iterable<EdgeId>): void {
  const gone = new Set<string>(ids);
  draft.flow.edges = draft.flow.edges.filter((e) => !gone.has(edgeId(e)));
}

export function addEdge(draft: D, edge: FlowEdge): void {
  if (draft.flow.edges.some((e) => edgeId(e) === edgeId(edge))) return;
  draft.flow.edges.push(edge);
}

/** Inserts a node into an edge: its first input and first output replace the edge. */
export function insertOnEdge(
  draft: D,
  id: EdgeId,
  node: string,
  ports: { input: string; output: string },
): void {
  const edge = draft.flow.edges.find((e) => edgeId(e) === id);
  if (!edge) return;
  const { from, to, ...rest } = edge;
  removeEdges(draft, [id]);
  addEdge(draft, { from, to: `${node}.${ports.input}` });
  addEdge(draft, { ...rest, from: `${node}.${ports.output}`, to });
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
  const node = draft.flow.nodes[id] as Record<string, unknown> | undefined;
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
  const node = draft.flow.nodes[id] as Record<string, unknown> | undefined;
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
  return node && Object.hasOwn(catalog.operators, node.operator)
    ? catalog.operators[node.operator]
    : undefined;
}

export function nodeOf(ref: string): string {
  return ref.slice(0, ref.indexOf('.'));
}

export function portOf(ref: string): string {
  return ref.slice(ref.indexOf('.') + 1);
}
