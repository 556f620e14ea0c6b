import type { CacheNote, LogLevel, RunError, RunEvent, RunStatus, SkipReason } from '#shared/run-event.ts';
import type { WeftError } from '../base/errors.ts';
import type { Host, RunCtx, WaitFor } from '../base/host.ts';
import type { Answer, Call, TriggerRequest } from '../base/operator.ts';
import { DEAD, type Plan, type Step, type StepBody, type StepScope, UNSET } from '../plan/plan.ts';
import type { Rounds } from './rounds.ts';
import type { Spending, Spent } from './spending.ts';

// ------------------------------------------------------------------------------------------ how others see a run

/** A run that starts others. */
export interface Caller {
  readonly id: string;
  /** Its depth below the run that was started from outside; 0 for that run. */
  readonly depth: number;
  /** The node that starts the run. */
  readonly node?: string;
  /** It tries a draft, or is a part of a run that does. */
  readonly isDraft?: boolean;
}

/** The input of a run. */
export interface StartOptions {
  /** Unique id of the run. */
  readonly id: string;
  /** The value of `trigger` in expressions. */
  readonly request: TriggerRequest;
  /** The value of the trigger node's output. */
  readonly output: unknown;
  /** The value of `vars` in expressions; never changed during the run. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Time limit of the whole run in milliseconds; the flow's `settings.timeoutMs` wins. */
  readonly timeoutMs?: number;
  /** Gets every event as it happens; node times are only taken if it is set from the start. */
  readonly observer?: (event: RunEvent) => void;
  /** Takes the time of every node, so that events derived after the end have it; costs two clock reads per node. */
  readonly timed?: boolean;
  /** It tries a draft: its state and its cached outputs are not those of the live flow. */
  readonly isDraft?: boolean;
  /** The run that this one is a part of. */
  readonly parent?: Caller;
  /** Prefix of idempotency keys; the run's id by default. The same for each attempt of a call. */
  readonly key?: string;
  /** A time limit from the caller, in milliseconds; the smaller of this and the flow's limit applies. */
  readonly atMostMs?: number | undefined;
  readonly ctx?: RunCtx;
  /** When the run was first started, in Unix milliseconds, if it is resumed. */
  readonly startedAt?: number;
  /** For the run of a body. */
  readonly inside?: Inside;
}

/** A body is as deep as the run that it belongs to. */
export function depthOf({ inside, parent }: StartOptions): number {
  return inside?.run.depth ?? (parent === undefined ? 0 : parent.depth + 1);
}

/** Whether the run tries a draft, itself or as a part of one that does. */
export function triesDraft({ inside, isDraft, parent }: StartOptions): boolean {
  return inside?.run.isDraft ?? isDraft ?? parent?.isDraft ?? false;
}

/** The step that runs a body. */
export interface Inside {
  readonly run: RunCore;
  readonly body: StepBody;
  readonly call: Attempt;
  /** For a loop: which round it is, from 0, and which attempt at it. */
  readonly round: number | undefined;
  readonly attempt: number | undefined;
}

/** The answer for the caller: set once, at the latest when the run ends. */
export type RunAnswer =
  | {
      readonly kind: 'value';
      /** Set by a respond node, otherwise undefined. */
      readonly status: number | undefined;
      readonly headers: Readonly<Record<string, string>> | undefined;
      /** JSON, or an `AsyncIterable` if the result is a stream. */
      readonly body: unknown;
    }
  /** No content: 204. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'error'; readonly error: RunError };

/** How a run ended. `ms` is its duration; `nodes` counts those that failed, handled or not. */
export interface Outcome {
  readonly status: RunStatus;
  readonly error: RunError | undefined;
  readonly ms: number;
  readonly nodes: { readonly ok: number; readonly failed: number; readonly skipped: number };
  /** Model usage, including sub-runs; undefined if no model was called. */
  readonly spent?: Spent | undefined;
}

/** `stalled`: a streamed answer produced nothing, or its reader consumed nothing, for too long. */
export type CancelReason = 'disconnect' | 'timeout' | 'stalled' | 'stop' | 'shutdown';

/** A run in progress or at its end. A flow of pure nodes has ended when `start` returns. */
export interface Run {
  readonly id: string;
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly answer: RunAnswer | undefined;
  readonly outcome: Outcome | undefined;
  /** Model usage so far, including sub-runs, and the model that was called last; undefined if no model was called. */
  readonly spending?: { readonly total: Spent | undefined; readonly model?: string | undefined } | undefined;
  /** Errors of nodes that failed, handled or not, by the node's index in the plan; undefined if none did. */
  readonly errors?: ReadonlyMap<number, RunError> | undefined;
  /** Calls `fn` when there is an answer: at once if there is one already. */
  onAnswer(fn: (answer: RunAnswer) => void): void;
  onEnd(fn: (outcome: Outcome) => void): void;
  /** Calls `fn` with all past events (derived), then with every event as it happens. Returns a function that ends that. */
  observe(fn: (event: RunEvent) => void): () => void;
  /**
   * The events so far; derived from the run's slots, so nothing was collected for them. Node times are absent unless
   * observed. Beyond 100,000 events of a run, log lines and the progress of streams are missing.
   */
  events(): RunEvent[];
  cancel(reason: CancelReason): void;
  /** Detaches from the run in its current state, without an end: it continues elsewhere, and nothing more happens here. */
  leave(): void;
  /**
   * Removes the time limit that the server set for the run, for callers that read a streamed answer and limit it in their own
   * way. True if the flow's own limit remains, which applies to the end of the stream.
   */
  endClock(): boolean;
}

// ---------------------------------------------------------------------------------- how its parts see each other

/** A run as its parts see it: its state, and the few ways in which they move it on. */
export interface RunCore {
  /** The run itself; for that of a body the run that it is part of. */
  readonly root: RunCore;
  readonly plan: Plan;
  readonly host: Host;
  readonly ctx: RunCtx | undefined;
  readonly id: string;
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
  readonly startedAt: number;
  readonly request: TriggerRequest;
  readonly vars: Readonly<Record<string, unknown>>;
  readonly caller: Caller | undefined;
  readonly depth: number;
  /** It tries a draft, or is a part of a run that does. */
  readonly isDraft: boolean;
  /** Prefix of idempotency keys. */
  readonly key: string;
  /** Output slots (P2 of plan.ts). */
  readonly values: unknown[];
  /** The state of each step, by index. */
  readonly open: number[];
  readonly answer: RunAnswer | undefined;
  readonly outcome: Outcome | undefined;
  readonly stopping: RunStatus | undefined;
  /** Somebody follows its events. */
  readonly observed: boolean;
  readonly recorder: RunRecorder;
  /** Start and end of each step at twice its index, if the run is timed. */
  readonly times: number[] | undefined;
  /** Errors of failed steps, handled or not, by step index. */
  errors: Map<number, RunError> | undefined;
  /** Steps with an attempt that ignored its signal and was abandoned. */
  readonly abandoned: ReadonlySet<Step> | undefined;
  /** Whether steps with a cache reused an output, by index. */
  cacheNotes: Map<number, CacheNote> | undefined;
  /** Created when a model is first called. */
  spending: Spending | undefined;
  /** Attempts that are awaited, or wait for their turn to try again. */
  calls: Set<Attempt> | undefined;
  streams: OpenStreams | undefined;
  /** Set if the run is durable. */
  recordedOrder: EndOrder | undefined;

  /** Whether a settled step still has a stream running. */
  isStreaming(step: Step): boolean;
  /** The step has ended, handled as `as` says; dependent steps may become ready. */
  settle(step: Step, as: number): void;
  /** The step has failed, and the run with it. */
  fail(step: Step, error: RunError): void;
  /** No step fires any more; steps in progress are aborted, and abandoned if they do not end. */
  stop(status: RunStatus, error: RunError): void;
  /** The attempt was in progress when the run was stopped, and has ended. */
  aborted(attempt: Attempt): void;
  /** An attempt of the step ignored its signal, and is abandoned. */
  noteAbandoned(step: Step): void;
  respond(step: Step, answer: Answer): void;
  /** Set for the run of a body. */
  readonly inside: Inside | undefined;
  /** Runs of bodies, by the index of their step. */
  readonly rounds: ReadonlyMap<number, Rounds> | undefined;
  /** Starts a run of the body of a step. */
  startBody(options: StartOptions & { readonly inside: Inside }): Run;
  /** The rounds of a step with a body so far. */
  roundsOf(step: Step): Rounds;
  /** A run of the body of a step has begun. */
  noteRound(inside: Inside, part: Run, input: unknown): void;
  /** Fires ready steps until none is left, a slot is missing, or the time slice is used up. */
  drain(): void;
  /** Starts a waiting step although all slots are taken; false if there is none. */
  startHeldBack(): boolean;
  /** Ends the run if there is nothing left to do; a result that is a stream is handed out before that. */
  settleEnd(): void;
}

/** One attempt of one step: what its operator gets, what its expressions see, and its progress. */
export interface Attempt extends Call, StepScope {
  params: unknown;
  item: unknown;
  index: number | undefined;
  readonly input: unknown;
  readonly inputs: Record<string, unknown>;
  readonly run: RunCore;
  readonly step: Step;
  /** The attempt is over for the run; anything it still does is ignored. */
  over: boolean;
  /** Cancels the attempt's time limit. */
  stopTimer: (() => void) | undefined;
  /** Streams that this attempt reads; closed when the attempt ends. */
  readonly readers: readonly AttemptReader[] | undefined;
  /** The attempt's time limit has passed. */
  expired: WeftError | undefined;
  /** Waits for its turn to try again. */
  paused: boolean;
  /** The attempt of the step that this attempt at an item belongs to. */
  readonly owner: Attempt | undefined;
  /** The name of the attempt in a durable run. */
  readonly stepKey: string;
  /** Items and parts of the step in progress, and runs below it, in a durable run: each counts what it awaits. */
  parts: Set<() => number> | undefined;
  /** How many of its sleeps have not ended. */
  readonly sleeping: number;
  /** Evaluates the params and calls the operator, unless a record or the cache has the result. */
  execute(): unknown;
  /** A new attempt with the same step and input. */
  again(): Attempt;
  /** The first attempt at one item of the step. */
  forItem(item: unknown, index: number): Attempt;
  abort(reason: WeftError): void;
  /** The streams that it read are no longer needed. */
  close(): void;
}

/** A stream that an attempt reads. */
export interface AttemptReader {
  /** No item is available, and the reader has requested one. */
  readonly waits: boolean;
  close(): void;
}

/** The open streams of a run. */
export interface OpenStreams {
  /** Streams that flow. */
  readonly count: number;
  /** A producer was asked to stop and has not ended yet. */
  readonly isEnding: boolean;
  isOpen(step: Step): boolean;
  /** A step or a stream ended. */
  changed(): void;
  /** Stops every producer. */
  cancel(reason: WeftError): void;
}

/** The end of something that was awaited. */
export type Settled = { readonly value: unknown } | { readonly error: unknown };

/** Takes the ends of awaited attempts in an order other than that of arrival. */
export interface EndOrder {
  add(attempt: Attempt, promise: Promise<unknown>, take: (attempt: Attempt, end: Settled) => void): void;
  /** Whether the attempt has ended, but may only be taken after another one that has not. */
  isHeldUp(attempt: Attempt): boolean;
}

/** A line that a node logs. */
export interface LogNote {
  readonly node: string;
  readonly level: LogLevel;
  readonly text: string;
  readonly data: unknown;
}

/** The events that the parts of a run report to its followers. */
export interface RunRecorder {
  /** `round`: of a node in a body, where the body stands. */
  log(note: LogNote, round?: string): void;
  queued(node: string, wait: { readonly for: string; readonly ms: number }, round?: string): void;
  nodeStarted(step: Step, attempt: number): void;
  nodeFinished(step: Step): void;
  nodeSkipped(step: Step, reason: SkipReason): void;
  /** The run around a body reports these at once for the nodes in it. */
  nodeRetrying(attempt: Attempt, delayMs: number, error: RunError): void;
  nodeFailed(step: Step, error: RunError, handled: 'no' | 'route' | 'continue'): void;
  nodeWaiting(step: Step, what: WaitFor): void;
  nodeAbandoned(step: Step): void;
  chunk(step: Step, port: string, count: number): void;
}

// --------------------------------------------------------------------------------------- states, limits and slots

/**
 * The state of a step in a run. Before it fires, `open[i]` counts the edges that have not settled (0 or more); afterwards it
 * is one of these.
 */
export const RUNNING = -1;
export const OK = -2;
export const SKIPPED = -3;
/** Failed, and the run with it. */
export const FAILED = -4;
/** Failed, handled by `onError: route`. */
export const ROUTED = -5;
/** Failed, handled by `onError: continue`. */
export const CONTINUED = -6;
/** Was running when the run was stopped, and ended. */
export const ABORTED = -7;
/** Was running when the run was stopped, and did not end in time. */
export const ABANDONED = -8;

/** How long an operator may take to end after its signal aborted, in milliseconds. */
export const ABORT_GRACE_MS = 100;
/** How many nodes fire before the synchronous path reads the clock, and how long it may run without a pause. */
export const CLOCK_EVERY = 64;
export const SLICE_MS = 10;
export const DEFAULT_CONCURRENCY = 64;

/** The slots of a run at its start; those that a body reads from the run around it are copied. */
export function firstSlots(plan: Plan, inside: Inside | undefined): unknown[] {
  const slots = plan.slots.slice();
  if (inside !== undefined)
    for (const [outer, inner] of inside.body.imports) {
      const value = inside.run.values[outer];
      slots[inner] = value === UNSET ? DEAD : value;
    }
  return slots;
}

/** Makes all outputs of a step dead. */
export function killOutputs(slots: unknown[], step: Step): void {
  for (let i = 0; i < step.ports.length; i++) slots[step.out + i] = DEAD;
  if (step.errorSlot >= 0) slots[step.errorSlot] = DEAD;
}

/** How long a run has run without a pause. */
export class Slice {
  private start = 0;

  /** Whether it is time for a pause; the next slice starts with the next look. */
  isOver(now: number): boolean {
    if (this.start === 0) this.start = now;
    if (now - this.start < SLICE_MS) return false;
    this.start = 0;
    return true;
  }
}
