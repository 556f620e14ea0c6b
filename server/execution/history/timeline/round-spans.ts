import { allNodes } from '#engine/check';
import type { FlowBody } from '#shared/flow.ts';
import type { RoundRow, RunEvent } from '#shared/run-event.ts';
import type { TimelineSpan } from '#shared/run-timeline.ts';
import type { RunTree } from './run-tree.ts';

/**
 * The rounds of a container as spans below it, and in those that are kept whole the nodes of its body.
 *
 * RSP1. A round has the time that was measured. For a node in it only the duration was measured: it starts when all that lead to it
 *      have ended, as nodes do (rule 1 of “How a run behaves” in docs/architecture.md).
 * RSP2. A span lies within the one above it.
 */
export interface Around {
  /** Start of the whole run of the page, Unix milliseconds. */
  readonly origin: number;
  /** The span of the container. */
  readonly span: TimelineSpan;
  /** The rounds around the container: `loop#3`; undefined for a node of the run itself. */
  readonly within?: string | undefined;
}

/** The spans of the rounds of the container; empty if nothing is told of them. */
export function roundSpans(tree: RunTree, around: Around): TimelineSpan[] {
  const { span, within } = around;
  const told = tree.events
    .get(within)
    ?.findLast(
      (event): event is Extract<RunEvent, { kind: 'node-rounds' }> =>
        event.kind === 'node-rounds' && event.node === span.node,
    );
  const rows = told?.rows ?? [];
  const body = tree.flow && allNodes(tree.flow)[span.node ?? '']?.body;
  const timed = rows.filter((row) => row.start !== undefined);
  return timed
    .toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0))
    .flatMap((row) => {
      const round = roundSpan(tree, row, around);
      return [round, ...(body ? nodesIn(tree, round, { body, origin: around.origin }) : [])];
    });
}

function roundSpan({ summary }: RunTree, row: RoundRow, { origin, span, within }: Around): TimelineSpan {
  const { place, start = 0, ms, status = 'running', key, tokens, cost } = row;
  const round = within === undefined ? place : `${within}/${place}`;
  const times = inside(span, summary.startedAt + start - origin, ms);
  return {
    id: `${summary.run}/${round}`,
    parent: span.id,
    kind: 'round',
    depth: span.depth + 1,
    run: summary.run,
    flow: summary.flow,
    round,
    ...(key !== undefined && { key }),
    status,
    ...times,
    selfMs: times.ms,
    waits: [],
    attempts: 1,
    critical: false,
    ...(tokens && { tokens }),
    ...(cost !== undefined && { cost }),
  };
}

/** A time within a span; without a duration until its end. */
function inside(
  { start, ms }: TimelineSpan,
  from: number,
  length = Number.POSITIVE_INFINITY,
): { start: number; ms: number } {
  const at = Math.min(Math.max(from, start), start + ms);
  return { start: at, ms: Math.min(length, start + ms - at) };
}

type NodeEnd = Extract<RunEvent, { kind: 'node-finished' | 'node-failed' }>;

/** Without times, nobody could see one node of a round from the other. */
function isTimed(event: RunEvent): event is NodeEnd {
  return event.kind === 'node-failed' || (event.kind === 'node-finished' && event.ms !== undefined);
}

function nodesIn(
  tree: RunTree,
  round: TimelineSpan,
  { body, origin }: { readonly body: FlowBody; readonly origin: number },
): TimelineSpan[] {
  const ends = new Map<string, NodeEnd>();
  for (const event of tree.events.get(round.round) ?? [])
    if (isTimed(event) && Object.hasOwn(body.nodes, event.node)) ends.set(event.node, event);
  const spans = new Map<string, TimelineSpan>();
  const spanAt = (node: string, seen: ReadonlySet<string>): TimelineSpan | undefined => {
    const end = ends.get(node);
    const done = spans.get(node);
    if (!end || done || seen.has(node)) return done;
    const before = body.edges.filter(({ to }) => nodeOf(to) === node).map(({ from }) => nodeOf(from));
    const above = before.map((one) => spanAt(one, new Set([...seen, node])));
    const from = Math.max(round.start, ...above.map((one) => (one ? one.start + one.ms : round.start)));
    const span = nodeSpan(tree, end, { round, body, from });
    spans.set(node, span);
    return span;
  };
  for (const node of ends.keys()) spanAt(node, new Set());
  return [...spans.values()]
    .sort((a, b) => a.start - b.start)
    .flatMap((span) => [span, ...roundSpans(tree, { origin, span, within: round.round })]);
}

function nodeSpan(
  { summary: { run, flow } }: RunTree,
  end: NodeEnd,
  { round, body, from }: { readonly round: TimelineSpan; readonly body: FlowBody; readonly from: number },
): TimelineSpan {
  const { node, tokens, cost, model } = end;
  const described = body.nodes[node];
  const times = inside(round, from, end.kind === 'node-finished' ? end.ms : undefined);
  return {
    id: `${round.id}/${node}`,
    parent: round.id,
    kind: 'node',
    depth: round.depth + 1,
    run,
    flow,
    node,
    ...(described?.name !== undefined && { name: described.name }),
    ...(round.round !== undefined && { round: round.round }),
    ...(described && { operator: described.operator }),
    status: end.kind === 'node-failed' ? 'failed' : 'ok',
    ...times,
    selfMs: times.ms,
    waits: [],
    attempts: 1,
    critical: false,
    ...(tokens && { tokens }),
    ...(cost !== undefined && { cost }),
    ...(model !== undefined && { model }),
    ...(end.kind === 'node-failed' && { error: end.error.code }),
  };
}

function nodeOf(port: string): string {
  return port.slice(0, port.lastIndexOf('.'));
}
