import type { CacheNote, RunError, RunEvent, RunStatus } from '#shared/run-event.ts';
import { WeftError } from '../base/errors.ts';
import type { Host, RunCtx } from '../base/host.ts';
import type { Answer, TriggerRequest } from '../base/operator.ts';
import type { Plan, Step } from '../plan/plan.ts';
import { fire } from './attempt.ts';
import { Recorder } from './events.ts';
import { answerStatus, cancelError, countStates, earlyResult, resultOf } from './result.ts';
import { ReadyQueue } from './ready-queue.ts';
import { abortedError } from './retry.ts';
import { Rounds } from './rounds.ts';
import type { Spending } from './spending.ts';
import * as state from './state.ts';
import { killOutputs } from './state.ts';
import type {
  Attempt,
  Caller,
  CancelReason,
  EndOrder,
  OpenStreams,
  Outcome,
  Run,
  RunAnswer,
  RunCore,
  StartOptions,
} from './state.ts';

/** The reason of the signals of a run that continues elsewhere: its parts end without a trace. */
export const RUN_LEFT: WeftError = new WeftError('run_cancelled', 'The run continues elsewhere.');

/**
 * The interpreter. One `RunState` is one run of one plan.
 *
 * R1. A step fires at most once, when all its edges are settled; `open[i]` counts down to 0 and then holds its state.
 * R2. A step that returns a plain value settles in the same turn: a flow of pure steps runs to its end without a promise.
 * R3. `ready` holds each step at most once, in the order in which steps became ready; that order and the order in which
 *     awaited steps end are the only order there is.
 * R4. Once `stopping` is set, no step fires; the run ends when nothing is awaited, at the latest `ABORT_GRACE_MS` later.
 * R5. `answer` and `outcome` are set once; there is no outcome without an answer.
 * R6. Clock, random numbers and timers are only used through the host.
 */
export class RunState implements Run, RunCore {
  readonly plan: Plan;
  readonly host: Host;
  readonly id: string;
  readonly startedAt: number;
  readonly request: TriggerRequest;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly caller: Caller | undefined;
  readonly depth: number;
  readonly isDraft: boolean;
  /** Prefix of idempotency keys. */
  readonly key: string;
  /** Output slots (P2 of plan.ts). */
  readonly values: unknown[];
  readonly open: number[];
  /** Errors of failed steps, handled or not, by step index. */
  errors: Map<number, RunError> | undefined = undefined;
  /** Start and end of each step at twice its index, if the run is timed. */
  readonly times: number[] | undefined;
  /** Steps with an attempt that ignored its signal and was abandoned. */
  abandoned: Set<Step> | undefined = undefined;
  /** Whether steps with a cache reused an output, by index. */
  cacheNotes: Map<number, CacheNote> | undefined = undefined;
  /** Created when a model is first called. */
  spending: Spending | undefined = undefined;
  readonly ctx: RunCtx | undefined;
  readonly inside: state.Inside | undefined;
  /** Runs of bodies, by the index of their step. */
  rounds: Map<number, Rounds> | undefined = undefined;
  private readonly queue: ReadyQueue;
  private readonly limit: number;
  private timeoutMs: number;
  private readonly atMostMs: number | undefined;
  private unsettled: number;
  private fired = 0;
  private slice: state.Slice | undefined = undefined;
  private draining = false;
  private deferred = false;
  /** Attempts that are awaited, or wait for their turn to try again. */
  calls: Set<Attempt> | undefined = undefined;
  streams: OpenStreams | undefined = undefined;
  recordedOrder: EndOrder | undefined = undefined;
  private stopTimer: (() => void) | undefined = undefined;
  stopping: RunStatus | undefined = undefined;
  private failure: RunError | undefined = undefined;
  private record: Recorder | undefined = undefined;
  observed: boolean;
  private readonly answered = new Once<RunAnswer>();
  private readonly ended = new Once<Outcome>();

  constructor(plan: Plan, options: StartOptions, host: Host) {
    this.plan = plan;
    this.host = host;
    this.id = options.id;
    this.request = options.request;
    this.vars = options.vars;
    this.caller = options.parent;
    this.depth = state.depthOf(options);
    this.isDraft = state.triesDraft(options);
    this.key = options.key ?? options.id;
    this.ctx = options.ctx;
    this.inside = options.inside;
    this.startedAt = options.startedAt ?? host.now();
    this.values = state.firstSlots(plan, options.inside);
    this.open = plan.open.slice();
    this.queue = new ReadyQueue(plan.steps, plan.roots);
    this.limit = plan.settings.concurrency ?? state.DEFAULT_CONCURRENCY;
    this.timeoutMs = timeLimit(plan, options);
    this.atMostMs = options.atMostMs;
    this.unsettled = plan.steps.length;
    this.observed = options.observer !== undefined;
    this.times = options.timed ? [] : undefined;
    if (options.observer) this.recorder.attach(options.observer);
    this.begin(options.output);
  }

  get answer(): RunAnswer | undefined {
    return this.answered.value;
  }

  get outcome(): Outcome | undefined {
    return this.ended.value;
  }

  get root(): RunCore {
    return this.inside === undefined ? this : this.inside.run.root;
  }

  get flow(): string {
    return this.plan.flow;
  }

  get version(): string {
    return this.plan.version;
  }

  get trigger(): string {
    return this.plan.trigger;
  }

  get recorder(): Recorder {
    this.record ??= new Recorder(this);
    return this.record;
  }

  onAnswer(fn: (answer: RunAnswer) => void): void {
    this.answered.on(fn);
  }

  onEnd(fn: (outcome: Outcome) => void): void {
    this.ended.on(fn);
  }

  observe(fn: (event: RunEvent) => void): () => void {
    this.observed = true;
    return this.recorder.follow(fn);
  }

  events(): RunEvent[] {
    return this.recorder.events();
  }

  cancel(reason: CancelReason): void {
    if (this.outcome || this.stopping) return;
    const { timeoutMs } = this;
    const status = reason === 'timeout' || reason === 'stalled' ? 'failed' : 'cancelled';
    this.stop(status, cancelError(reason, { timeoutMs, isCallers: timeoutMs === this.atMostMs }));
    this.settleEnd();
  }

  /** Detaches from the run in its current state: it fires, ends and reports nothing any more. */
  leave(): void {
    if (this.outcome !== undefined) return;
    // Permanent: a run that drains starts nothing else and does not end.
    this.draining = true;
    this.stopTimer?.();
    for (const call of this.calls ?? []) {
      call.over = true;
      call.stopTimer?.();
      call.abort(RUN_LEFT);
    }
    this.recorder.detach();
  }

  endClock(): boolean {
    if (this.plan.settings.timeoutMs !== undefined) return true;
    if (this.outcome || this.stopping) return false;
    this.stopTimer?.();
    this.stopTimer = undefined;
    this.timeoutMs = 0;
    return false;
  }

  startBody(options: StartOptions & { readonly inside: state.Inside }): Run {
    return new RunState(options.inside.body.plan, options, this.host);
  }

  noteRound(inside: state.Inside, part: Run, input: unknown): void {
    this.roundsOf(inside.call.step).add(inside, part, input);
  }

  roundsOf({ index }: Step): Rounds {
    const all = (this.rounds ??= new Map());
    let rounds = all.get(index);
    if (rounds === undefined) all.set(index, (rounds = new Rounds(this.inside)));
    return rounds;
  }

  // ------------------------------------------------------------------------------------------------- firing

  private begin(output: unknown): void {
    const step = this.plan.steps[this.plan.triggerStep] as Step;
    this.values[step.out] = output === undefined ? null : output;
    if (this.observed) {
      this.recorder.runStarted(this.values[step.out]);
      this.recorder.nodeStarted(step, 1);
    }
    this.settle(step, state.OK);
    this.drain();
    if (this.outcome === undefined && this.timeoutMs > 0) {
      const left = this.startedAt + this.timeoutMs - this.host.now();
      this.stopTimer = this.host.timer(Math.max(0, left), () => this.cancel('timeout'));
    }
  }

  /** Fires ready steps until none is left, a slot is missing, or the time slice is used up. */
  drain(): void {
    if (this.draining || this.deferred) return;
    this.draining = true;
    while (this.stopping === undefined) {
      const step = this.queue.next(this.calls !== undefined && this.calls.size >= this.limit);
      if (step === undefined) break;
      fire(this, step);
      if (++this.fired % state.CLOCK_EVERY === 0 && this.sliceIsOver()) break;
    }
    this.draining = false;
    this.settleEnd();
  }

  /** Starts a waiting step although all slots are taken; false if there is none. */
  startHeldBack(): boolean {
    const step = this.queue.nextHeld();
    if (step !== undefined) fire(this, step);
    this.drain();
    return step !== undefined;
  }

  private sliceIsOver(): boolean {
    const now = this.host.now();
    if (this.timeoutMs > 0 && now - this.startedAt > this.timeoutMs) {
      this.cancel('timeout');
      return true;
    }
    this.slice ??= new state.Slice();
    if (!this.slice.isOver(now)) return false;
    this.deferred = true;
    this.host.defer(() => {
      this.deferred = false;
      this.drain();
    });
    return true;
  }

  // ---------------------------------------------------------------------------------------------------------- stopping

  stop(status: RunStatus, error: RunError): void {
    if (this.stopping !== undefined) return;
    this.stopping = status;
    this.failure = error;
    this.stopTimer?.();
    const reason = new WeftError(error.code, error.message, { isOfRun: true });
    this.streams?.cancel(reason);
    for (const call of this.calls ?? []) {
      call.stopTimer?.();
      if (call.paused) {
        call.over = true;
        this.calls?.delete(call);
        this.aborted(call);
      } else call.abort(reason);
    }
    if (this.calls?.size) this.stopTimer = this.host.timer(state.ABORT_GRACE_MS, () => this.abandon());
  }

  private abandon(): void {
    for (const call of this.calls ?? []) {
      call.over = true;
      this.open[call.step.index] = state.ABANDONED;
      killOutputs(this.values, call.step);
      this.noteAbandoned(call.step);
    }
    this.calls?.clear();
    this.settleEnd();
  }

  noteAbandoned(step: Step): void {
    (this.abandoned ??= new Set()).add(step);
    if (this.observed) this.recorder.nodeAbandoned(step);
  }

  aborted(call: Attempt): void {
    this.open[call.step.index] = state.ABORTED;
    killOutputs(this.values, call.step);
    const error = abortedError(call);
    (this.errors ??= new Map()).set(call.step.index, error);
    if (this.observed) this.recorder.nodeFailed(call.step, error, 'no');
  }

  // ------------------------------------------------------------------------------------------------- settling and ending

  fail(step: Step, error: RunError): void {
    (this.errors ??= new Map()).set(step.index, error);
    this.open[step.index] = state.FAILED;
    this.unsettled--;
    if (this.observed) this.recorder.nodeFailed(step, error, 'no');
    this.stop('failed', error);
  }

  settle(step: Step, as: number): void {
    const { open, queue } = this;
    open[step.index] = as;
    this.unsettled--;
    if (this.times !== undefined) this.times[2 * step.index + 1] = this.host.now();
    if (this.observed && as !== state.SKIPPED) {
      const streaming = this.isStreaming(step);
      this.recorder.nodeOutputs(step, as === state.OK && !streaming);
    }
    const { next } = step;
    for (let i = 0; i < next.length; i++) {
      const index = next[i] as number;
      if (--(open[index] as number) === 0) queue.push(index);
    }
  }

  /** Whether a settled step still has a stream running. */
  isStreaming(step: Step): boolean {
    return step.streams && this.streams?.isOpen(step) === true;
  }

  /** Ends the run if there is nothing left to do; a result that is a stream is handed out before that. */
  settleEnd(): void {
    if (this.outcome || this.draining) return;
    // The waits of other steps must not delay the first item.
    if (this.stopping === undefined && this.streams && this.streams.count > 0) this.answerStream();
    else if ((this.calls && this.calls.size > 0) || this.streams?.isEnding) this.rest();
    else if (this.stopping !== undefined) this.finish(this.stopping, this.failure);
    else if (this.unsettled === 0) this.complete();
  }

  /** Nothing can continue on its own: the durable context decides what to do, by the number of awaited attempts. */
  private rest(): void {
    this.ctx?.idle(() => this.awaited());
  }

  /** Infinite while something continues whose end nobody awaits. */
  awaited(): number {
    const goesOn = this.deferred || (this.streams !== undefined && this.streams.count > 0);
    if (goesOn) return Number.POSITIVE_INFINITY;
    let count = 0;
    for (const { parts, sleeping } of this.calls ?? []) {
      if (parts === undefined) count++;
      // It is between two rounds, or waits before an item is tried again.
      else if (parts.size === 0 || sleeping > 0) return Number.POSITIVE_INFINITY;
      else for (const awaited of parts) count += awaited();
    }
    return count;
  }

  private complete(): void {
    if (this.answer === undefined)
      this.give(this.plan.hasRespond ? { kind: 'empty' } : resultOf(this.plan, this.values));
    const error = this.answer?.kind === 'error' ? this.answer.error : undefined;
    this.finish(error ? 'failed' : 'ok', error);
  }

  private answerStream(): void {
    const answer = this.answer ? undefined : earlyResult(this.plan, this.values);
    if (answer?.kind === 'error') {
      this.stop('failed', answer.error);
      this.settleEnd();
    } else if (answer) this.give(answer);
  }

  respond(step: Step, answer: Answer): void {
    if (this.answer) {
      throw new WeftError(
        'second_response',
        `The node “${step.title}” answered, but this run has already been answered.`,
      );
    }
    this.give({ kind: 'value', ...answer }, step);
  }

  private give(answer: RunAnswer, by?: Step): void {
    const status = answerStatus(answer);
    if (this.observed && status !== undefined) this.recorder.answered(by?.id, status, answer);
    this.answered.set(answer);
  }

  private finish(status: RunStatus, error: RunError | undefined): void {
    this.stopTimer?.();
    const ms = this.host.now() - this.startedAt;
    const outcome = { status, error, ms, nodes: countStates(this.open), spent: this.spending?.total };
    if (this.answer === undefined) this.give({ kind: 'error', error: error as RunError });
    this.ended.set(outcome, () => {
      if (this.observed) this.recorder.runFinished();
    });
  }
}

/** Starts a run. A flow of pure nodes has ended when this returns. */
export function start(plan: Plan, options: StartOptions, host: Host): Run {
  return new RunState(plan, options, host);
}

/** The time limit of a run in milliseconds; 0 for none. */
function timeLimit({ settings }: Plan, { timeoutMs = 0, atMostMs }: StartOptions): number {
  const limit = settings.timeoutMs ?? timeoutMs;
  return atMostMs === undefined || (limit > 0 && limit < atMostMs) ? limit : atMostMs;
}

/** A value that is set once; earlier requests get it then. */
class Once<T> {
  value: T | undefined = undefined;
  private waiting: ((value: T) => void)[] | undefined = undefined;

  on(fn: (value: T) => void): void {
    if (this.value !== undefined) fn(this.value);
    else (this.waiting ??= []).push(fn);
  }

  /** `first` runs when the value can be read, before the waiting callbacks get it. */
  set(value: T, first?: () => void): void {
    this.value = value;
    first?.();
    const { waiting } = this;
    this.waiting = undefined;
    for (const fn of waiting ?? []) fn(value);
  }
}
