import type { RunError, RunEvent, RunStatus } from '#shared/run-event.ts';
import type { RunCtx } from '../host.ts';
import type { TriggerRequest } from '../operator.ts';
import type { Spent } from './spending.ts';

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
