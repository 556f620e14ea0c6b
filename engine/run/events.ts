import type { CacheNote, RunError, RunEvent, SkipReason, Tokens } from '#shared/run-event.ts';
import { isStream } from '#shared/json.ts';
import type { WaitFor } from '../base/host.ts';
import { DEAD, type Step, UNSET } from '../plan/plan.ts';
import { skipReasonOf } from './attempt.ts';
import { answerStatus } from './result.ts';
import { spentFields as spentOf } from './spending.ts';
import * as state from './state.ts';
import { placeOf } from './rounds.ts';
import type { Attempt, Caller, LogNote, RunAnswer, RunCore, RunRecorder } from './state.ts';
import { Reader, StreamSource } from './stream.ts';

type Follower = (event: RunEvent) => void;
type Distribute<T> = T extends unknown ? Omit<T, 'run' | 'seq' | 'at'> : never;
type Draft = Distribute<RunEvent>;

/** Number of log lines that are stored while nobody follows. */
const MAX_NOTES = 1000;
/** Number of events that are stored of a run. Beyond it, log lines and stream progress are sent to followers and dropped. */
const MAX_KEPT = 100_000;
/** A stream's progress is reported at its first item, then once per so many items, and at its end. */
const CHUNK_EVERY = 64;

/**
 * A run's events. While nobody follows, only log lines are collected: the events are derived from the run's slots on demand.
 * From the first follower on they are stored, so that all followers see the same sequence.
 */
export class Recorder implements RunRecorder {
  private readonly run: RunCore;
  private readonly followers = new Set<Follower>();
  private log_: RunEvent[] | undefined = undefined;
  private notes: (LogNote & InBody)[] = [];
  private queues: (InBody & { node: string; for: string; ms: number; at: number })[] = [];
  private readonly startTimes = new Map<number, number>();
  /** Number of items of streams, by step and port, that no event has reported yet. */
  private readonly untold = new Map<Step, Map<string, number>>();
  private seq = 0;

  constructor(run: RunCore) {
    this.run = run;
  }

  /** Follows from the start of the run. */
  attach(fn: Follower): void {
    this.log_ = [];
    this.followers.add(fn);
  }

  /** Reports past events, then new ones. */
  follow(fn: Follower): () => void {
    this.log_ ??= this.derive();
    for (const event of this.log_.slice()) fn(event);
    if (!this.run.outcome) this.followers.add(fn);
    return () => this.followers.delete(fn);
  }

  events(): RunEvent[] {
    return this.log_ ? this.log_.slice() : this.derive();
  }

  log(note: LogNote, round?: string): void {
    const { inside, root } = this.run;
    const said = { ...note, ...(round !== undefined && { round }) };
    if (inside) root.recorder.log(note, placeOf(inside));
    else if (this.log_) this.emit(logDraft(said));
    else if (this.notes.length < MAX_NOTES) this.notes.push(said);
  }

  queued(node: string, wait: { readonly for: string; readonly ms: number }, round?: string): void {
    const { inside, root } = this.run;
    const of = { node, ...wait, ...(round !== undefined && { round }) };
    if (inside) root.recorder.queued(node, wait, placeOf(inside));
    else if (this.log_) this.emit({ kind: 'node-queued', ...of });
    else if (this.run.times !== undefined && this.queues.length < MAX_NOTES)
      this.queues.push({ ...of, at: this.run.host.now() });
  }

  runStarted(input: unknown): void {
    this.emit(this.startDraft(input));
  }

  nodeStarted(step: Step, attempt: number): void {
    this.startTimes.set(step.index, this.run.host.now());
    this.emit({ kind: 'node-started', node: step.id, attempt });
  }

  /** The available outputs. `finished` is false for streams that continue. */
  nodeOutputs(step: Step, finished: boolean): void {
    // The rounds of a failed step are told with its failure, those over a stream at its end.
    if (finished) this.tellRounds(step);
    for (const draft of this.outputDrafts(step)) this.emit(draft);
    if (finished) this.tellFinished(step);
  }

  /** The streams of the step have ended. */
  nodeFinished(step: Step): void {
    this.tellRounds(step);
    this.tellFinished(step);
  }

  private tellRounds(step: Step): void {
    for (const draft of this.roundDrafts(step)) this.emit(draft);
  }

  private tellFinished(step: Step): void {
    const started = this.startTimes.get(step.index);
    for (const [port, count] of this.untold.get(step) ?? [])
      this.emit({ kind: 'node-chunk', node: step.id, port, count });
    this.untold.delete(step);
    this.emit({
      kind: 'node-finished',
      node: step.id,
      ...(started !== undefined && { ms: this.run.host.now() - started }),
      ...this.cacheField(step),
      ...this.spentFields(step),
    });
  }

  chunk(step: Step, port: string, count: number): void {
    const isTold = count === 1 || count % CHUNK_EVERY === 0;
    if (isTold) this.emit({ kind: 'node-chunk', node: step.id, port, count });
    let ports = this.untold.get(step);
    if (!ports) this.untold.set(step, (ports = new Map()));
    if (isTold) ports.delete(port);
    else ports.set(port, count);
  }

  nodeSkipped(step: Step, reason: SkipReason): void {
    this.emit({ kind: 'node-skipped', node: step.id, reason });
  }

  nodeRetrying(call: Attempt, delayMs: number, error: RunError): void {
    this.tell({ kind: 'node-retrying', node: call.node, attempt: call.attempt, delayMs, error });
  }

  nodeFailed(step: Step, error: RunError, handled: 'no' | 'route' | 'continue'): void {
    this.tellRounds(step);
    this.emit(this.failedDraft(step, error, handled));
  }

  nodeWaiting(step: Step, what: WaitFor): void {
    const on = what.kind === 'time' ? 'a time' : what.title;
    this.tell({
      kind: 'node-waiting',
      node: step.id,
      for: on,
      ...(what.until !== undefined && { until: what.until }),
    });
  }

  /** Reports at once, also from within a body, whose other events come at its end. */
  private tell(draft: Draft, round?: string): void {
    const { inside, root } = this.run;
    if (inside) (root.recorder as Recorder).tell(draft, placeOf(inside));
    else this.emit(round === undefined ? draft : { ...draft, round });
  }

  nodeAbandoned(step: Step): void {
    this.emit({ kind: 'node-abandoned', node: step.id });
  }

  answered(node: string | undefined, status: number, answer: RunAnswer): void {
    this.emit({ kind: 'run-answered', ...(node !== undefined && { node }), status, ...bodyOf(answer) });
  }

  /** No more events are reported. */
  detach(): void {
    this.followers.clear();
    this.log_ = undefined;
  }

  runFinished(): void {
    const draft = this.finishDraft();
    if (draft) this.emit(draft);
    this.followers.clear();
  }

  // ---------------------------------------------------------------------------------------------------- making events

  private emit(draft: Draft): void {
    if (!this.log_) return;
    const event = this.stamp(draft, this.run.host.now());
    if (this.log_.length < MAX_KEPT || !isChatty(draft)) this.log_.push(event);
    for (const follower of this.followers) follower(event);
  }

  private stamp(draft: Draft, at: number): RunEvent {
    return { run: this.run.id, seq: ++this.seq, at, ...draft } as RunEvent;
  }

  /** Events of what has happened, from slots and states; in the plan's order, with node times only if the run was timed. */
  private derive(): RunEvent[] {
    const { run } = this;
    this.seq = 0;
    const events = [this.stamp(this.startDraft(this.triggerValue()), run.startedAt)];
    for (const step of run.plan.steps) {
      const { start, end } = this.timesOf(step);
      for (const draft of this.stepDrafts(step)) {
        const isStart = draft.kind === 'node-started' && draft.node === step.id;
        events.push(this.stamp(draft, isStart ? start : end));
        const queues = isStart ? this.queues.filter((q) => isOf(q, step)) : [];
        for (const { at, ...queue } of queues) events.push(this.stamp({ kind: 'node-queued', ...queue }, at));
      }
    }
    const answered = answerStatus(run.answer);
    const last = run.startedAt + (run.outcome?.ms ?? 0);
    const body = bodyOf(run.answer);
    if (answered !== undefined)
      events.push(this.stamp({ kind: 'run-answered', status: answered, ...body }, last));
    const end = this.finishDraft();
    if (end) events.push(this.stamp(end, last));
    return events;
  }

  private timesOf(step: Step): { start: number; end: number } {
    const { times, startedAt, open, outcome } = this.run;
    const start = times?.[2 * step.index] ?? startedAt;
    const end = times?.[2 * step.index + 1];
    if (end !== undefined || times === undefined || !outcome) return { start, end: end ?? start };
    // A failure that nothing handles ends the run, and with it what was in progress.
    const at = open[step.index];
    const isCut = at === state.FAILED || at === state.ABORTED;
    return { start, end: isCut ? startedAt + outcome.ms : start };
  }

  private stepDrafts(step: Step): Draft[] {
    const { run } = this;
    const at = run.open[step.index] as number;
    const { id } = step;
    if (at >= 0) return [];
    if (at === state.SKIPPED)
      return [{ kind: 'node-skipped', node: id, reason: skipReasonOf(run.values, step) }];
    const error = run.errors?.get(step.index);
    const logs = this.notes.filter((note) => isOf(note, step)).map(logDraft);
    return [
      { kind: 'node-started', node: id, attempt: error?.attempt ?? 1 },
      ...logs,
      ...this.roundDrafts(step),
      ...(error ? [this.failedDraft(step, error, handledAs(at))] : []),
      ...(run.abandoned?.has(step) ? [{ kind: 'node-abandoned', node: id } as const] : []),
      ...(hasOutputs(at) ? this.outputDrafts(step) : []),
      ...(at === state.OK && !run.isStreaming(step) ? [this.finishedDraft(step)] : []),
    ];
  }

  /** What is kept of the rounds of a step with a body, and their count. */
  private roundDrafts({ id, index }: Step): Draft[] {
    const rounds = this.run.rounds?.get(index);
    if (rounds === undefined) return [];
    const { count, failed, kept, ms, spent, rows } = rounds;
    const events = kept.flatMap(({ name, part }) => part.events().flatMap((event) => inRound(event, name)));
    const sums = { count, failed, ms, ...(spent && spentOf(spent)) };
    return [...events, { kind: 'node-rounds', node: id, ...sums, rows: [...rows] }];
  }

  private finishedDraft(step: Step): Draft {
    const { start, end } = this.timesOf(step);
    const ms = this.run.times && { ms: end - start };
    return {
      kind: 'node-finished',
      node: step.id,
      ...ms,
      ...this.cacheField(step),
      ...this.spentFields(step),
    };
  }

  private failedDraft(step: Step, error: RunError, handled: 'no' | 'route' | 'continue'): Draft {
    return { kind: 'node-failed', node: step.id, error, handled, ...this.spentFields(step) };
  }

  private spentFields(step: Step): { tokens: Tokens; cost?: number; model: string } | undefined {
    const spent = this.run.spending?.of(step.index);
    return spent && { ...spentOf(spent), model: spent.model };
  }

  private cacheField(step: Step): { cache: CacheNote } | undefined {
    const cache = this.run.cacheNotes?.get(step.index);
    return cache && { cache };
  }

  private outputDrafts(step: Step): Draft[] {
    const ports = step.errorSlot < 0 ? step.ports : [...step.ports, 'error'];
    const drafts: Draft[] = [];
    ports.forEach((port, i) => {
      const value = this.run.values[i < step.ports.length ? step.out + i : step.errorSlot];
      if (value === DEAD || value === UNSET || StreamSource.is(value) || Reader.isReader(value)) return;
      drafts.push({ kind: 'node-output', node: step.id, port, value });
    });
    return drafts;
  }

  private triggerValue(): unknown {
    const { plan, values } = this.run;
    return values[plan.steps[plan.triggerStep]?.out ?? 0];
  }

  private startDraft(input: unknown): Draft {
    const { flow, version, trigger, caller } = this.run;
    return { kind: 'run-started', flow, version, trigger, ...parentOf(caller), input };
  }

  private finishDraft(): Draft | undefined {
    const { outcome } = this.run;
    if (!outcome) return undefined;
    const { status, ms, error, nodes, spent } = outcome;
    return {
      kind: 'run-finished',
      status,
      ms,
      ...(error && { error }),
      nodes,
      ...(spent && spentOf(spent)),
    };
  }
}

/** An event of a body as one of the run around it; that it began and ended is known from its nodes. */
function inRound({ run: _run, seq: _seq, at: _at, ...draft }: RunEvent, place: string): Draft[] {
  if (!('node' in draft) || draft.kind === 'run-answered' || draft.kind === 'log') return [];
  const round = draft.round === undefined ? place : `${place}/${draft.round}`;
  return [{ ...draft, round } as Draft];
}

function parentOf(caller: Caller | undefined): { parent?: string; parentNode?: string } {
  if (caller === undefined) return {};
  return { parent: caller.id, ...(caller.node !== undefined && { parentNode: caller.node }) };
}

function logDraft({ node, level, text, data, round }: LogNote & InBody): Draft {
  const place = round === undefined ? {} : { round };
  return { kind: 'log', node, level, text, ...(data !== undefined && { data }), ...place };
}

/** Where a node in a body stands. */
interface InBody {
  readonly round?: string;
}

/** Whether something was noted of the step, or of a node in its body. */
function isOf({ node, round }: InBody & { readonly node: string }, { id }: Step): boolean {
  return round === undefined ? node === id : /^\w+/.exec(round)?.[0] === id;
}

function isChatty({ kind }: Draft): boolean {
  return kind === 'log' || kind === 'node-chunk';
}

function hasOutputs(at: number): boolean {
  return at === state.OK || at === state.ROUTED || at === state.CONTINUED;
}

function handledAs(at: number): 'no' | 'route' | 'continue' {
  if (at === state.ROUTED) return 'route';
  return at === state.CONTINUED ? 'continue' : 'no';
}

/** What the caller gets, unless that is a stream. */
function bodyOf(answer: RunAnswer | undefined): { body?: unknown } {
  if (answer?.kind !== 'value') return {};
  const { body } = answer;
  try {
    return isStream(body) ? {} : { body };
  } catch {
    // A value that cannot be read: whoever sends the answer says so.
    return {};
  }
}
