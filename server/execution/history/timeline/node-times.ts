import type { RunEvent } from '#shared/run-event.ts';
import type { SpanWait, TimelineSpan } from '#shared/run-timeline.ts';

type NodeFields = Pick<TimelineSpan, 'status' | 'waits' | 'attempts' | 'tokens' | 'cost' | 'model' | 'error'>;

/** A node's time in one run, in Unix milliseconds; waits too. */
export interface NodeTimes extends NodeFields {
  readonly node: string;
  readonly start: number;
  readonly end: number;
}

/** When the nodes of a run began and ended. */
export interface RunTimes {
  /** In the order in which they started. Skipped nodes are not included. */
  readonly nodes: readonly NodeTimes[];
  /** Whether the times of nodes were measured. */
  readonly timed: boolean;
}

type Draft = { -readonly [K in keyof NodeTimes]: NodeTimes[K] } & {
  waits: SpanWait[];
  isOver: boolean;
  waiting: Omit<SpanWait, 'ms'> | undefined;
};
type NodeEvent = Extract<RunEvent, { node: string }>;

/**
 * The nodes' times according to the events, those of bodies excepted, whose events come when the body has ended; unfinished ones end
 * at `end`, in Unix milliseconds.
 */
export function nodeTimes(events: readonly RunEvent[], end: number): RunTimes {
  const drafts = new Map<string, Draft>();
  for (const event of events)
    if ('node' in event && event.node !== undefined && event.round === undefined)
      apply(drafts, event as NodeEvent);
  const nodes = [...drafts.values()].map((draft) => finished(draft, end));
  return { nodes, timed: events.some(isTimed) || isWatched(nodes) };
}

function isTimed(event: RunEvent): boolean {
  return event.kind === 'node-finished' && event.ms !== undefined;
}

/** Events that were derived without times all have the start time of their run. */
function isWatched([first, ...others]: readonly NodeTimes[]): boolean {
  return first !== undefined && others.some(({ start, end }) => start !== first.start || end !== first.end);
}

function apply(drafts: Map<string, Draft>, event: NodeEvent): void {
  const { node, at } = event;
  if (event.kind === 'node-started') {
    const known = drafts.get(node);
    if (known === undefined) drafts.set(node, started(node, at, event.attempt));
    else begunAgain(known, at, event.attempt);
    return;
  }
  const draft = drafts.get(node);
  if (draft !== undefined) note(draft, event);
}

function started(node: string, start: number, attempts: number): Draft {
  const draft = { node, start, end: start, attempts, status: 'running' as const };
  return { ...draft, waits: [], isOver: false, waiting: undefined };
}

function begunAgain(draft: Draft, at: number, attempt: number): void {
  endWait(draft, at);
  draft.attempts = Math.max(draft.attempts, attempt);
  draft.isOver = false;
  draft.status = 'running';
  delete draft.error;
}

function note(draft: Draft, event: NodeEvent): void {
  const { at } = event;
  if (event.kind === 'node-retrying') draft.waiting = { kind: 'retry', start: at };
  else if (event.kind === 'node-waiting') draft.waiting = { kind: 'outside', start: at, for: event.for };
  else if (event.kind === 'node-queued')
    draft.waits.push({ kind: 'queue', start: at - event.ms, ms: event.ms, for: event.for });
  else if (event.kind === 'node-finished') over(draft, at, 'ok');
  else if (event.kind === 'node-abandoned') over(draft, at, 'abandoned');
  else if (event.kind === 'node-failed') failed(draft, event);
  if (event.kind === 'node-finished' || event.kind === 'node-failed') takeSpent(draft, event);
}

const CANCELLED = 'run_cancelled';

function failed(draft: Draft, { at, error }: Extract<RunEvent, { kind: 'node-failed' }>): void {
  over(draft, at, error.code === CANCELLED ? 'cancelled' : 'failed');
  draft.error = error.code;
}

function takeSpent(draft: Draft, { tokens, cost, model }: Pick<Draft, 'tokens' | 'cost' | 'model'>): void {
  if (tokens !== undefined) draft.tokens = tokens;
  if (cost !== undefined) draft.cost = cost;
  if (model !== undefined) draft.model = model;
}

function over(draft: Draft, at: number, status: NodeTimes['status']): void {
  endWait(draft, at);
  draft.end = Math.max(at, draft.start);
  draft.isOver = true;
  draft.status = status;
}

function endWait(draft: Draft, at: number): void {
  const { waiting } = draft;
  draft.waiting = undefined;
  if (waiting !== undefined && at > waiting.start) draft.waits.push({ ...waiting, ms: at - waiting.start });
}

function finished(draft: Draft, end: number): NodeTimes {
  if (!draft.isOver) {
    endWait(draft, end);
    draft.end = Math.max(end, draft.start);
  }
  const { isOver: _isOver, waiting: _waiting, ...times } = draft;
  return times;
}
