import { outermostNode } from '#engine/check';
import { criticalPath } from '#shared/critical-path.ts';
import type { RunTimeline, TimelineSpan, SpanWait } from '#shared/run-timeline.ts';
import type { NodeTimes } from './node-times.ts';
import { roundSpans } from './round-spans.ts';
import { type RunTree, runTree, type TreeDeps } from './run-tree.ts';

/**
 * The time of a run, by nodes and parts. Undefined for an unknown run.
 * TT1. A span lies within its parent's; parts of a run lie within the node that called them.
 * TT2. The `ms` of a span is the sum of its `selfMs` and the time of its parts and of its waits since its start, each
 *      moment counted once.
 */
export async function timelineOf(id: string, deps: TreeDeps): Promise<RunTimeline | undefined> {
  const found = await runTree(id, deps);
  if (found === undefined) return undefined;
  const { tree, cut } = found;
  const { summary, end, timed, flow } = tree;
  const criticalMs = pathOf(tree).ms;
  const spans = spansOf(tree, { origin: summary.startedAt, depth: 0, parent: undefined, critical: true });
  return { summary, ms: end - summary.startedAt, timed, graph: flow !== undefined, criticalMs, spans, cut };
}

/** The position for the spans of a run. */
interface Place {
  /** Start of the whole run, Unix milliseconds. */
  readonly origin: number;
  readonly depth: number;
  readonly parent: string | undefined;
  /** Time was measured for the run itself. */
  readonly critical: boolean;
}

function spansOf(tree: RunTree, place: Place): TimelineSpan[] {
  const { nodes, parts, summary } = tree;
  const path = new Set(place.critical ? pathOf(tree).path : []);
  const known = new Set(nodes.map(({ node }) => node));
  const byNode = Map.groupBy(parts, ({ summary: { parentNode } }) => {
    // A part that a node in a body called is told at the node around it.
    const node = parentNode && tree.flow ? outermostNode(tree.flow, parentNode) : parentNode;
    return node !== undefined && known.has(node) ? node : undefined;
  });
  const turns = waitsForTurn(nodes, edgesOf(tree));
  const called = nodes
    .toSorted((a, b) => a.start - b.start)
    .flatMap((times) => {
      const own = byNode.get(times.node) ?? [];
      const turn = turns.get(times.node);
      const waited = { ...times, waits: turn ? [turn, ...times.waits] : times.waits };
      const span = nodeSpan(tree, waited, own, { ...place, critical: path.has(times.node) });
      const below = { ...place, depth: place.depth + 1, parent: span.id, critical: span.critical };
      const rounds = roundSpans(tree, { origin: place.origin, span });
      return [withoutRounds(span, rounds), ...rounds, ...partSpans(own, below)];
    });
  // Without a record of a run it is unknown which node called its parts.
  const orphans = partSpans(byNode.get(undefined) ?? [], { ...place, critical: false });
  return summary.recorded ? [...called, ...orphans] : orphans;
}

/** TT2 for a container: its rounds are its parts. */
function withoutRounds(span: TimelineSpan, rounds: readonly TimelineSpan[]): TimelineSpan {
  if (rounds.length === 0) return span;
  const parts = [...span.waits, ...rounds.filter(({ kind }) => kind === 'round')];
  const away = parts.map(({ start, ms }) => ({ start, end: start + ms }));
  return { ...span, selfMs: span.ms - covered({ start: span.start, end: span.start + span.ms }, away) };
}

function pathOf(tree: RunTree): { path: readonly string[]; ms: number } {
  if (!tree.timed || tree.flow === undefined) return { path: [], ms: 0 };
  const nodes = tree.nodes.map(({ node: id, start, end }) => ({ id, start, end }));
  return criticalPath(nodes, edgesOf(tree));
}

function edgesOf({ flow }: RunTree): NodeEdge[] {
  return flow?.edges.map(({ from, to }): NodeEdge => [nodeOf(from), nodeOf(to)]) ?? [];
}

function nodeOf(port: string): string {
  return port.slice(0, port.lastIndexOf('.'));
}

function partSpans(parts: readonly RunTree[], place: Place): TimelineSpan[] {
  const chain = place.critical ? lastOneBehindTheOther(parts) : new Set<RunTree>();
  return parts.flatMap((part) => {
    const span = runSpan(part, { ...place, critical: chain.has(part) });
    const below = { ...place, depth: place.depth + 1, parent: span.id, critical: span.critical };
    return [span, ...spansOf(part, below)];
  });
}

/**
 * The part that ended last, then the last one that had ended before that one started, and so on: they determine a
 * loop's duration.
 */
function lastOneBehindTheOther(parts: readonly RunTree[]): Set<RunTree> {
  const chain = new Set<RunTree>();
  let before = Number.POSITIVE_INFINITY;
  for (const part of parts.toSorted((a, b) => b.end - a.end)) {
    if (part.end > before) continue;
    chain.add(part);
    before = part.summary.startedAt;
  }
  return chain;
}

function runSpan(part: RunTree, { origin, depth, parent, critical }: Place): TimelineSpan {
  const { summary, end, nodes } = part;
  const { run, flow, startedAt, status, error, tokens, cost } = summary;
  return {
    id: run,
    ...(parent !== undefined && { parent }),
    kind: 'run',
    depth,
    run,
    flow,
    // A waiting run has not ended either.
    status: status === 'waiting' ? 'running' : status,
    start: startedAt - origin,
    ms: end - startedAt,
    selfMs: end - startedAt - covered({ start: startedAt, end }, nodes),
    waits: [],
    attempts: 1,
    critical,
    ...(tokens && { tokens }),
    ...(cost !== undefined && { cost }),
    ...(error && { error: error.code }),
  };
}

function nodeSpan(
  { summary: { run, flow: id }, flow }: RunTree,
  times: NodeTimes,
  parts: readonly RunTree[],
  { origin, depth, parent, critical }: Place,
): TimelineSpan {
  const { node, start, end, waits, status, attempts, tokens, cost, model, error } = times;
  const described = flow?.nodes[node];
  const away = [
    ...waits.map((wait) => ({ start: wait.start, end: wait.start + wait.ms })),
    ...parts.map(({ summary: { startedAt }, end: ended }) => ({ start: startedAt, end: ended })),
  ];
  return {
    id: `${run}/${node}`,
    ...(parent !== undefined && { parent }),
    kind: 'node',
    depth,
    run,
    flow: id,
    node,
    ...(described?.name !== undefined && { name: described.name }),
    ...(described && { operator: described.operator }),
    status,
    start: start - origin,
    ms: end - start,
    selfMs: end - start - covered({ start, end }, away),
    waits: waits.map((wait) => ({ ...wait, start: wait.start - origin })),
    attempts,
    critical,
    ...(tokens && { tokens }),
    ...(cost !== undefined && { cost }),
    ...(model !== undefined && { model }),
    ...(error !== undefined && { error }),
  };
}

/** Node to node, along the flow's edges. */
type NodeEdge = readonly [from: string, to: string];

/** The resolution of the clock, in milliseconds. */
const CLOCK_MS = 1;

/** How long each node waited for a free slot: from the end of the last node that it depends on to its own start. */
function waitsForTurn(
  nodes: readonly NodeTimes[],
  edges: readonly NodeEdge[],
): ReadonlyMap<string, SpanWait> {
  const times = new Map(nodes.map((node) => [node.node, node]));
  const ready = new Map<string, number>();
  for (const [from, to] of edges) {
    const source = times.get(from);
    if (source !== undefined) ready.set(to, Math.max(source.end, ready.get(to) ?? source.end));
  }
  const waits = new Map<string, SpanWait>();
  for (const { node, start } of nodes) {
    const from = ready.get(node);
    if (from !== undefined && start - from > CLOCK_MS)
      waits.set(node, { kind: 'turn', start: from, ms: start - from });
  }
  return waits;
}

interface Interval {
  readonly start: number;
  readonly end: number;
}

/** The part of `whole` that the others cover, each moment counted once. */
export function covered(whole: Interval, others: readonly Interval[]): number {
  let sum = 0;
  let reached = whole.start;
  for (const { start, end } of others.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(start, reached);
    const to = Math.min(end, whole.end);
    if (to <= from) continue;
    sum += to - from;
    reached = to;
  }
  return sum;
}
