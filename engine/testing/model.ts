import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import { type Attempt, digest, given } from './task-operators.ts';

/**
 * The contract of a run, written down as plainly as possible: one pass over the nodes in order, with the time at which each
 * is ready and the time at which it settles. It knows neither queues nor promises. Only flows of `random-flow.ts`.
 */
export type ModelState = 'ok' | 'skipped' | 'failed' | 'routed' | 'continued';

export interface ModelNode {
  state: ModelState;
  /** Times after the start of the run, in milliseconds. */
  ready: number;
  end: number;
  /** Live outputs. */
  outputs: Record<string, unknown>;
  code: string | undefined;
}

export interface Model {
  /** Nodes of the run; the others take no part. */
  nodes: Map<string, ModelNode>;
  /** When the first unhandled failure happens, and which nodes may cause it. */
  failsAt: number;
  failing: Set<string>;
  end: number;
}

export function modelRun(flow: Flow, trigger: string, input: unknown): Model {
  const ids = Object.keys(flow.nodes).sort();
  const scope = scopeOf(flow, ids, trigger);
  const nodes = new Map<string, ModelNode>();
  const visit = (id: string): void => {
    if (nodes.has(id) || !scope.has(id)) return;
    const before = [...edgesInto(flow, id), ...edgesBefore(flow, id)];
    for (const { from } of before) visit(from.slice(0, 3));
    nodes.set(id, modelNode(flow, id, { trigger, input }, nodes));
  };
  for (const id of ids) visit(id);
  secondResponses(flow, nodes);
  const fatal = [...nodes].filter(([, n]) => n.state === 'failed');
  const failsAt = Math.min(Number.POSITIVE_INFINITY, ...fatal.map(([, n]) => n.end));
  return {
    nodes,
    failsAt,
    failing: new Set(fatal.filter(([, n]) => n.end === failsAt).map(([id]) => id)),
    end: Math.max(...[...nodes.values()].map((n) => n.end)),
  };
}

function isTrigger(node: FlowNode | undefined): boolean {
  return node?.operator === 'test.trigger';
}

/** The nodes that the trigger reaches, and their ancestors that some node other than another trigger feeds. */
function scopeOf(flow: Flow, ids: readonly string[], trigger: string): Set<string> {
  const parents = (id: string): string[] =>
    flow.edges.filter((e) => e.to.startsWith(`${id}.`)).map((e) => e.from.slice(0, 3));
  const reached = new Set<string>();
  for (const id of ids) if (id === trigger || parents(id).some((p) => reached.has(p))) reached.add(id);
  const wanted = new Set(reached);
  for (const id of ids.toReversed()) {
    const isParent = flow.edges.some((e) => e.from.startsWith(`${id}.`) && wanted.has(e.to.slice(0, 3)));
    if (isParent) wanted.add(id);
  }
  const alive = new Set<string>();
  for (const id of ids) {
    if (!wanted.has(id)) continue;
    const root = parents(id).length === 0 && !isTrigger(flow.nodes[id]);
    if (id === trigger || root || parents(id).some((p) => alive.has(p))) alive.add(id);
  }
  return alive;
}

function edgesInto(flow: Flow, id: string): FlowEdge[] {
  return flow.edges.filter((e) => e.to.startsWith(`${id}.`));
}

/** The edges of which none may bring a value, or the node is not needed: the earlier ones of each lazy input that it is for. */
function edgesBefore(flow: Flow, id: string): FlowEdge[] {
  return flow.edges
    .filter((e) => flow.nodes[e.to.slice(0, 3)]?.operator.startsWith('test.first_'))
    .filter((e) => isOnlyFor(flow, id, e))
    .flatMap((e) => flow.edges.filter((other) => other.to === e.to && (other.order ?? 0) < (e.order ?? 0)));
}

/** Whether every path from the node leads to the edge. */
function isOnlyFor(flow: Flow, id: string, edge: FlowEdge): boolean {
  const out = flow.edges.filter((e) => e.from.startsWith(`${id}.`));
  if (isTrigger(flow.nodes[id]) || out.length === 0) return false;
  return out.every((e) => e === edge || isOnlyFor(flow, e.to.slice(0, 3), edge));
}

function modelNode(
  flow: Flow,
  id: string,
  { trigger, input }: { trigger: string; input: unknown },
  nodes: Map<string, ModelNode>,
): ModelNode {
  const node = flow.nodes[id] as FlowNode;
  if (id === trigger) return { state: 'ok', ready: 0, end: 0, outputs: { x: input }, code: undefined };
  const settledEdge = (e: FlowEdge) => {
    const source = nodes.get(e.from.slice(0, 3));
    const port = e.from.slice(4);
    const live = source !== undefined && Object.hasOwn(source.outputs, port);
    const value = live ? carried(source.outputs[port], e.pick) : undefined;
    return { to: e.to.slice(4), live, value, end: source?.end ?? 0 };
  };
  const edges = edgesInto(flow, id).map(settledEdge);
  const before = edgesBefore(flow, id).map(settledEdge);
  const ready = Math.max(0, ...[...edges, ...before].map((e) => e.end));
  const settled = (
    state: ModelState,
    end: number,
    outputs: Record<string, unknown>,
    code?: string,
  ): ModelNode => ({ state, ready, end, outputs, code });
  if (before.some((e) => e.live && e.value !== null)) return settled('skipped', ready, {});
  const live = edges.filter((e) => e.live);
  const skipped =
    (edges.length > 0 && live.length === 0) ||
    (isAll(node) && live.length < edges.length) ||
    missesA(node, live);
  const passes = edges.length === 1 && !skipped && hasOneInAndOut(node);
  if (skipped || (node.disabled && !passes)) return settled('skipped', ready, {});
  const lacks = live.some((e) => e.value === LACKING);
  if (!lacks && node.disabled) return settled('ok', ready, { x: live[0]?.value });
  if (!lacks && node.operator === 'test.respond') return settled('ok', ready, {});
  const { end, outputs, code } = lacks
    ? { end: ready, outputs: {}, code: 'missing_field' }
    : attempts(node, gather(node, live), ready);
  if (code === undefined) return settled('ok', end, outputs);
  if (node.onError === 'route') return settled('routed', end, { error: code }, code);
  if (node.onError === 'continue') return settled('continued', end, { ...node.fallback }, code);
  return settled('failed', end, {}, code);
}

/** Where the value of an edge lacks the field that the edge carries. */
const LACKING = Symbol('lacking');

function carried(value: unknown, pick: string | undefined): unknown {
  let at = value;
  for (const name of pick?.split('.') ?? []) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return LACKING;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

function isAll(node: FlowNode): boolean {
  return node.operator.startsWith('test.all_');
}

function isMany(node: FlowNode): boolean {
  return isAll(node) || /^test\.(any|first)_/.test(node.operator);
}

function hasOneInAndOut(node: FlowNode): boolean {
  return /^test\.(one_x|optional_x|pure|sink)$/.test(node.operator);
}

/** `test.two` requires its input `a`. */
function missesA(node: FlowNode, live: readonly { to: string }[]): boolean {
  return node.operator.startsWith('test.two_') && !live.some((e) => e.to === 'a');
}

function gather(node: FlowNode, live: readonly { to: string; value: unknown }[]): Record<string, unknown> {
  if (isMany(node)) return { in: live.map((e) => e.value) };
  return Object.fromEntries(live.map((e) => [e.to, e.value]));
}

function attempts(
  node: FlowNode,
  inputs: Record<string, unknown>,
  ready: number,
): { end: number; outputs: Record<string, unknown>; code?: string } {
  const script = node.params as { id: string; attempts: Attempt[]; live: string[]; gives: string };
  const most = node.retry?.attempts ?? 1;
  let at = ready;
  for (let n = 1; ; n++) {
    const attempt = script.attempts[n - 1] ?? { ms: 0, do: 'ok' };
    const { took, code } = tryOnce(attempt, node.timeoutMs);
    at += took;
    if (code === undefined) {
      const ports = (node.operator.endsWith('_xy') ? ['x', 'y'] : ['x']).filter((p) =>
        script.live.includes(p),
      );
      // Null is a value: only an omitted output is dead.
      const value = given(script.gives, digest(script.id, inputs));
      return { end: at, outputs: Object.fromEntries(ports.map((p) => [p, value])) };
    }
    if (n >= most || code === 'bad_input') return { end: at, outputs: {}, code };
    at += (node.retry?.backoffMs ?? 0) * (node.retry?.factor ?? 1) ** (n - 1);
  }
}

function tryOnce(attempt: Attempt, limit: number | undefined): { took: number; code?: string } {
  if (attempt.do === 'hang') return { took: limit ?? Number.NaN, code: 'node_timeout' };
  if (attempt.do === 'stubborn') return { took: (limit ?? Number.NaN) + 100, code: 'node_timeout' };
  if (limit !== undefined && attempt.ms > limit) return { took: limit, code: 'node_timeout' };
  if (attempt.do === 'fail') return { took: attempt.ms, code: 'node_failed' };
  if (attempt.do === 'permanent') return { took: attempt.ms, code: 'bad_input' };
  return { took: attempt.ms };
}

/** If several respond nodes fire, the first one answers and each later one fails; among simultaneous ones, either may be first. */
function secondResponses(flow: Flow, nodes: Map<string, ModelNode>): void {
  const fired = [...nodes]
    .filter(
      ([id, n]) =>
        flow.nodes[id]?.operator === 'test.respond' && n.state === 'ok' && !flow.nodes[id]?.disabled,
    )
    .sort((a, b) => a[1].end - b[1].end);
  const first = fired[0]?.[1].end;
  const tied = fired.length > 1 && fired[1]?.[1].end === first;
  for (const [, node] of tied ? fired : fired.slice(1)) {
    node.state = 'failed';
    node.code = 'second_response';
  }
}
