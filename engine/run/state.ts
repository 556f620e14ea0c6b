import type { CacheNote, LogLevel, RunError, RunEvent, RunStatus, SkipReason } from '#shared/run-event.ts';
import type { WeftError } from '../errors.ts';
import type { Host, RunCtx, WaitFor } from '../host.ts';
import type { Answer, Call, TriggerRequest } from '../operator.ts';
import { DEAD, type Plan, type Step, type StepScope } from '../plan/plan.ts';
import type { Spending, Spent } from './spending.ts';

// ------------------------------------------------------------------------------------------ what others see of a run

/** A run that starts others. */
export interface Caller {
  readonly id: string;
  /** How many runs it is below the one that was started from outside; 0 for that one. */
  readonly depth: number;
  /** The node that asks for the run. */
  readonly node?: string;
}

/** What a run starts with. */
export interface StartOptions {
  /** Unique id of the run. */
  readonly id: string;
  /** What expressions see as `trigger`. */
  readonly request: TriggerRequest;
  /** The value of the trigger node's output. */
  readonly output: unknown;
  /** What expressions see as `vars`; never changed during the run. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Limit of the whole run in milliseconds; the flow's `settings.timeoutMs` wins. */
  readonly timeoutMs?: number;
  /** Gets every event as it happens; node times are taken only when one is there from the start. */
  readonly observer?: (event: RunEvent) => void;
  /** Takes the time of every node, so that events derived after the end have it; costs two looks at the clock a node. */
  readonly timed?: boolean;
  /** The run that this one is a part of. */
  readonly parent?: Caller;
  /** What idempotency keys begin with; the run's id when absent. The same for each attempt of a call. */
  readonly key?: string;
  /** A limit that the caller sets, in milliseconds; the smaller one of this and the flow's holds. */
  readonly atMostMs?: number | undefined;
  readonly ctx?: RunCtx;
  /** When the run was first started, in Unix milliseconds: where it is carried on. */
  readonly startedAt?: number;
}

/** What the caller gets: set once, at the latest when the run ends. */
export type RunAnswer =
  | {
      readonly kind: 'value';
      /** Set by a respond node, else undefined. */
      readonly status: number | undefined;
      readonly headers: Readonly<Record<string, string>> | undefined;
      /** JSON, or an `AsyncIterable` when the result is a stream. */
      readonly body: unknown;
    }
  /** Nothing to say: 204. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'error'; readonly error: RunError };

export interface Outcome {
  readonly status: RunStatus;
  readonly error: RunError | undefined;
  readonly ms: number;
  readonly nodes: { readonly ok: number; readonly failed: number; readonly skipped: number };
  /** What models took, parts of the run included; undefined where none was asked. */
  readonly spent?: Spent | undefined;
}

/** `stalled`: a streamed answer gave nothing, or its reader took nothing, for too long. */
export type CancelReason = 'disconnect' | 'timeout' | 'stalled' | 'stop' | 'shutdown';

/** A run in progress or at its end. A flow of pure nodes is at its end when `start` returns. */
export interface Run {
  readonly id: string;
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly answer: RunAnswer | undefined;
  readonly outcome: Outcome | undefined;
  /** What models have taken so far, parts of the run included; undefined where none was asked. */
  readonly spending?: { readonly total: Spent | undefined } | undefined;
  /** Errors of nodes that failed, handled or not, by the node's place in the plan; undefined where none did. */
  readonly errors?: ReadonlyMap<number, RunError> | undefined;
  /** Calls `fn` when the answer is there: at once if it is already. */
  onAnswer(fn: (answer: RunAnswer) => void): void;
  onEnd(fn: (outcome: Outcome) => void): void;
  /** Gives `fn` what has happened so far (derived), then every event as it happens. Returns a function that ends it. */
  observe(fn: (event: RunEvent) => void): () => void;
  /**
   * What has happened so far; derived from the run's slots, so nothing was collected for it. Node times are absent unless observed.
   * Of a run that tells endlessly, log lines and the progress of streams are missing beyond 100,000 events.
   */
  events(): RunEvent[];
  cancel(reason: CancelReason): void;
  /** Lets go of the run where it stands, without an end: it is carried on elsewhere. Nothing of it happens here any more. */
  leave(): void;
  /** Takes the time limit away: for who reads a streamed answer and limits that in its own way. */
  endClock(): void;
}

// ---------------------------------------------------------------------------------- what its parts see of each other

/** A run, as far as its parts have to do with it: what is known of it, and the few ways in which they move it on. */
export interface RunCore {
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
  /** What idempotency keys begin with. */
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
  /** Start and end of each step by twice its index, where the run is timed. */
  readonly times: number[] | undefined;
  /** Errors of failed steps, handled or not, by step index. */
  errors: Map<number, RunError> | undefined;
  /** Steps with an attempt that ignored its signal and was left alone. */
  readonly abandoned: ReadonlySet<Step> | undefined;
  /** What became of steps with a cache, by index. */
  cacheNotes: Map<number, CacheNote> | undefined;
  /** There once a model has been asked. */
  spending: Spending | undefined;
  /** Attempts that are awaited, or wait for their turn to try again. */
  calls: Set<Attempt> | undefined;
  streams: OpenStreams | undefined;
  /** Where the run has a durable context. */
  recordedOrder: EndOrder | undefined;

  /** Whether a settled step still has a stream running. */
  isStreaming(step: Step): boolean;
  /** The step has come to its end, handled as `as` says: who hangs on it may become ready. */
  settle(step: Step, as: number): void;
  /** The step has failed, and the run with it. */
  fail(step: Step, error: RunError): void;
  /** No step fires any more; what is in progress is told to end, and abandoned when it does not. */
  stop(status: RunStatus, error: RunError): void;
  /** The attempt was in progress when the run was stopped, and has ended. */
  aborted(attempt: Attempt): void;
  /** An attempt of the step ignored its signal, and is left alone. */
  noteAbandoned(step: Step): void;
  respond(step: Step, answer: Answer): void;
  /** Fires what is ready, until nothing is, a slot is missing, or the slice of time is used up. */
  drain(): void;
  /** Starts a step that waits for its turn although all slots are taken; false when there is none. */
  startHeldBack(): boolean;
  /** Ends the run when there is nothing left to do; a result that is a stream is handed out before. */
  settleEnd(): void;
}

/** One attempt of one step: what its operator gets, what its expressions see, and how far it has come. */
export interface Attempt extends Call, StepScope {
  params: unknown;
  item: unknown;
  index: number | undefined;
  readonly input: unknown;
  readonly inputs: Record<string, unknown>;
  readonly run: RunCore;
  readonly step: Step;
  /** The attempt is over for the run; whatever it still does is ignored. */
  over: boolean;
  /** Calls off the attempt's time limit. */
  stopTimer: (() => void) | undefined;
  /** Streams that this attempt reads; closed when it is through. */
  readonly readers: readonly AttemptReader[] | undefined;
  /** Its time limit has passed. */
  expired: WeftError | undefined;
  /** Waits for its turn to try again. */
  paused: boolean;
  /** Makes its params and calls its operator, unless a record or the cache has what it gave. */
  execute(): unknown;
  /** The same step and input once more. */
  again(): Attempt;
  /** The first attempt at one item of the stream that the step reads. */
  forItem(item: unknown, index: number): Attempt;
  abort(reason: WeftError): void;
  /** The streams that it read are no longer wanted. */
  close(): void;
}

/** A stream that an attempt reads. */
export interface AttemptReader {
  /** Nothing is there for it, and it has asked. */
  readonly waits: boolean;
  close(): void;
}

/** The open streams of a run. */
export interface OpenStreams {
  /** Streams that flow. */
  readonly count: number;
  /** A producer was told to stop and has not ended yet. */
  readonly isEnding: boolean;
  isOpen(step: Step): boolean;
  /** A step or a stream ended. */
  changed(): void;
  /** Stops every producer. */
  cancel(reason: WeftError): void;
}

/** How something that was awaited ended. */
export type Settled = { readonly value: unknown } | { readonly error: unknown };

/** Takes the ends of awaited attempts in an order that is not that in which they come. */
export interface EndOrder {
  add(attempt: Attempt, promise: Promise<unknown>, take: (attempt: Attempt, end: Settled) => void): void;
  /** Whether the attempt has ended, but may be taken only after another one that has not. */
  isHeldUp(attempt: Attempt): boolean;
}

/** What the parts of a run tell its followers. */
export interface RunRecorder {
  log(node: string, level: LogLevel, text: string, data: unknown): void;
  queued(node: string, wait: { readonly for: string; readonly ms: number }): void;
  nodeStarted(step: Step, attempt: number): void;
  nodeFinished(step: Step): void;
  nodeSkipped(step: Step, reason: SkipReason): void;
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
/** How many nodes fire before the synchronous path looks at the clock, and how long it may go on without a pause. */
export const CLOCK_EVERY = 64;
export const SLICE_MS = 10;
export const DEFAULT_CONCURRENCY = 64;

/** Makes all outputs of a step dead. */
export function killOutputs(slots: unknown[], step: Step): void {
  for (let i = 0; i < step.ports.length; i++) slots[step.out + i] = DEAD;
  if (step.errorSlot >= 0) slots[step.errorSlot] = DEAD;
}

/** How long a run has gone on without a pause. */
export class Slice {
  private start = 0;

  /** Whether it is time for a pause; the next slice begins with the look after that. */
  isOver(now: number): boolean {
    if (this.start === 0) this.start = now;
    if (now - this.start < SLICE_MS) return false;
    this.start = 0;
    return true;
  }
}
