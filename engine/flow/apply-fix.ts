import { type Flow, type FlowEdge, ID_PATTERN, splitPortRef } from '#shared/flow.ts';
import type { Fix } from '#shared/problem.ts';
import { pathOfNode, usedIds } from './bodies.ts';
import { byEdgeOrder } from './graph.ts';
import { parsePath, type Path } from './field-path.ts';
import { replaceOperator } from './replace-operator.ts';
import { setAt } from './set-at.ts';

/** The flow with a fix applied; unchanged parts are shared. Returns the same flow if the fix no longer applies to it. */
export function applyFix(flow: Flow, fix: Fix): Flow {
  switch (fix.kind) {
    case 'set-operator':
      return setInNode(flow, fix.node, ['operator'], () => fix.operator);
    case 'replace-operator':
      return pathOfNode(flow, fix.node) ? replaceOperator(flow, fix) : flow;
    case 'replace-text':
      return setInNode(flow, fix.node, parsePath(fix.field), (text) =>
        // A function, since `$` has a meaning in a replacement text.
        typeof text === 'string' ? text.replace(fix.find, () => fix.replace) : text,
      );
    case 'set-field':
      return setField(flow, fix);
    default:
      return rewired(flow, fix);
  }
}

type Rewiring = Exclude<Fix, { kind: 'set-operator' | 'replace-operator' | 'replace-text' | 'set-field' }>;

/** The flow with other edges, and nodes between them. */
function rewired(flow: Flow, fix: Rewiring): Flow {
  switch (fix.kind) {
    case 'remove-edge':
      return removeEdge(flow, fix.from, fix.to);
    case 'insert-merge':
      return insertMerge(flow, fix.to);
    case 'insert-collect':
      return fix.edges.reduce(insertCollect, flow);
    case 'insert-operator':
      return insertOperator(flow, fix);
    case 'append-operator':
      return appendOperator(flow, fix);
  }
}

function setField(flow: Flow, fix: Extract<Fix, { kind: 'set-field' }>): Flow {
  const path = parsePath(fix.field);
  if (fix.node !== undefined) return setInNode(flow, fix.node, path, () => fix.value);
  return path && path.length > 0 ? (setAt(flow, path, () => fix.value) as Flow) : flow;
}

function setInNode(
  flow: Flow,
  node: string,
  path: Path | undefined,
  change: (old: unknown) => unknown,
): Flow {
  const place = pathOfNode(flow, node);
  if (!place || !path || path.length === 0) return flow;
  return setAt(flow, [...place, ...path], change) as Flow;
}

/** If several edges are equal, the last one is removed. */
function removeEdge(flow: Flow, from: string, to: string): Flow {
  const at = flow.edges.findLastIndex((edge) => edge.from === from && edge.to === to);
  return at < 0 ? flow : { ...flow, edges: flow.edges.toSpliced(at, 1) };
}

/** Puts a `core.merge` before an input; it takes over the input's edges in their order. */
function insertMerge(flow: Flow, to: string): Flow {
  const edges = flow.edges.filter((edge) => edge.to === to);
  if (edges.length < 2) return flow;
  const id = freeId(flow, 'merge');
  const merged = inEdgeOrder(edges).map((edge, order): FlowEdge => ({ ...edge, to: `${id}.in`, order }));
  return {
    ...flow,
    nodes: { ...flow.nodes, [id]: { operator: 'core.merge', params: {} } },
    edges: [...flow.edges.filter((edge) => edge.to !== to), ...merged, { from: `${id}.out`, to }],
  };
}

/** Puts a node into an edge; the new edge into the old target keeps its place among the others. */
function insertOperator(flow: Flow, fix: Extract<Fix, { kind: 'insert-operator' }>): Flow {
  const at = flow.edges.findIndex((edge) => edge.from === fix.from && edge.to === fix.to);
  const edge = flow.edges[at];
  if (!edge) return flow;
  const id = freeId(flow, (fix.operator.split('.').at(-1) ?? '').replaceAll('-', '_'));
  return {
    ...flow,
    nodes: { ...flow.nodes, [id]: { operator: fix.operator, params: {} } },
    edges: flow.edges.toSpliced(at, 1, { from: fix.from, to: `${id}.in` }, { ...edge, from: `${id}.out` }),
  };
}

function appendOperator(flow: Flow, { from, operator }: Extract<Fix, { kind: 'append-operator' }>): Flow {
  if (!Object.hasOwn(flow.nodes, splitPortRef(from).node)) return flow;
  const id = freeId(flow, (operator.split('.').at(-1) ?? '').replaceAll('-', '_'));
  return {
    ...flow,
    nodes: { ...flow.nodes, [id]: { operator, params: {} } },
    edges: [...flow.edges, { from, to: `${id}.in` }],
  };
}

/** Puts a `core.unstreamify` and a `core.streamify` into an edge: the stream is read to its end and then sent on. */
function insertCollect(flow: Flow, { from, to }: { from: string; to: string }): Flow {
  const at = flow.edges.findLastIndex((edge) => edge.from === from && edge.to === to);
  const edge = flow.edges[at];
  if (!edge) return flow;
  const collect = freeId(flow, 'collect');
  const stream = freeId(flow, 'stream');
  const nodes = {
    ...flow.nodes,
    [collect]: { operator: 'core.unstreamify', params: {} },
    [stream]: { operator: 'core.streamify', params: {} },
  };
  const edges = flow.edges.toSpliced(
    at,
    1,
    { from, to: `${collect}.in` },
    { from: `${collect}.out`, to: `${stream}.in` },
    { ...edge, from: `${stream}.out` },
  );
  return { ...flow, nodes, edges };
}

function inEdgeOrder(edges: readonly FlowEdge[]): FlowEdge[] {
  const unique = [...new Map(edges.map((edge) => [edge.from, edge])).values()];
  return unique.toSorted((a, b) => byEdgeOrder(endsOf(a), endsOf(b)));
}

function endsOf(edge: FlowEdge) {
  const from = splitPortRef(edge.from);
  const to = splitPortRef(edge.to);
  return {
    from: from.node,
    fromPort: from.port,
    to: to.node,
    toPort: to.port,
    order: edge.order,
    pick: edge.pick,
    at: 0,
  };
}

function freeId(flow: Flow, base: string): string {
  let id = base;
  const used = usedIds(flow);
  for (let n = 2; used.has(id) || !ID_PATTERN.test(id); n++) id = `${base}_${n}`;
  return id;
}
