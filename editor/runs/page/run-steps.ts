import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { TimelineSpan } from '#shared/run-timeline.ts';
import { applyEvents, shownFrom } from '../../state/apply-event.ts';
import { linesOf, type TitleOf } from '../../state/run-log.ts';
import type { LogLine, NodeRun, ShownRun } from '../../state/run-store.ts';

/** A node in a run, or in one round of a body. */
export interface Step {
  readonly node: string;
  readonly run: NodeRun;
  /** Its time, tokens and cost, where they were taken. */
  readonly span: TimelineSpan | undefined;
  readonly lines: readonly LogLine[];
  /** Of a container: how often its body ran. */
  readonly rounds: Rounds | undefined;
}

/** How often the body of a container ran. */
export interface Rounds {
  readonly count: number;
  readonly failed: number;
  /** Those of which the events are kept: the first, the failed and the slowest. */
  readonly kept: readonly Round[];
}

/** One time that a body ran. */
export interface Round {
  /** Its number, from 0. */
  readonly at: number;
  readonly steps: readonly Step[];
}

/** A run as its page lists it; steps are in the order in which they first reported something. */
export interface RunSteps {
  readonly shown: ShownRun;
  readonly steps: readonly Step[];
  /** Lines that belong to no node. */
  readonly lines: readonly LogLine[];
}

/** The state of a run and of its steps after these events, with their times. */
export function runSteps(
  summary: RunSummary,
  events: readonly RunEvent[],
  spans: readonly TimelineSpan[],
  title: TitleOf,
): RunSteps {
  const own = events.filter(({ round }) => round === undefined);
  const shown = applyEvents(shownFrom(summary), own) as ShownRun;
  const lines = linesOf(events, title);
  const spanOf = new Map(
    spans.flatMap((span) => (span.run === summary.run && span.node !== undefined ? [[span.node, span]] : [])),
  );
  const steps = stepsIn(shown.nodes, '', { summary, events, lines, spanOf });
  return { shown, steps, lines: lines.filter(({ node }) => node === undefined) };
}

interface Known {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  readonly lines: readonly LogLine[];
  readonly spanOf: ReadonlyMap<string, TimelineSpan>;
}

/** `place`: the rounds around these nodes, such as `loop#3`; empty for those of the run itself. */
function stepsIn(nodes: ShownRun['nodes'], place: string, known: Known): Step[] {
  const seqOf = new Map<string, number>();
  for (const event of known.events)
    if (
      'node' in event &&
      event.node !== undefined &&
      (event.round ?? '') === place &&
      !seqOf.has(event.node)
    )
      seqOf.set(event.node, event.seq);
  const order = (node: string): number => seqOf.get(node) ?? Number.POSITIVE_INFINITY;
  return Object.entries(nodes)
    .sort(([a], [b]) => order(a) - order(b))
    .map(([node, run]) => ({
      node,
      run,
      span: place === '' ? known.spanOf.get(node) : undefined,
      lines: place === '' ? known.lines.filter((line) => line.node === node) : [],
      rounds: roundsOf(node, place, known),
    }));
}

function roundsOf(node: string, place: string, known: Known): Rounds | undefined {
  const told = known.events.find(
    (event) => event.kind === 'node-rounds' && event.node === node && (event.round ?? '') === place,
  );
  const prefix = `${place === '' ? '' : `${place}/`}${node}#`;
  const numbers = new Set(
    known.events.flatMap(({ round }) =>
      round?.startsWith(prefix) ? [Number.parseInt(round.slice(prefix.length), 10)] : [],
    ),
  );
  if (told?.kind !== 'node-rounds' && numbers.size === 0) return undefined;
  const kept = [...numbers].sort((a, b) => a - b).map((at) => roundAt(`${prefix}${at}`, at, known));
  const { count, failed } = told?.kind === 'node-rounds' ? told : { count: kept.length, failed: 0 };
  return { count, failed, kept };
}

function roundAt(place: string, at: number, known: Known): Round {
  const start = shownFrom(known.summary);
  const inside = known.events
    .filter(({ round }) => round === place)
    .map(({ round: _, ...event }) => event as RunEvent);
  const { nodes } = applyEvents(start, inside) as ShownRun;
  return { at, steps: stepsIn(nodes, place, known) };
}
