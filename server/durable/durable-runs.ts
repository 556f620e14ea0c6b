import type { WaitFor } from '#engine';
import type { RunError, RunSummary } from '#shared/run-event.ts';
import type { RunRequest } from '../flows/run-request.ts';
import type { Forgotten, StoredStatus } from './port.ts';

/** A question, and the conversation that it and its answer belong to: JSON. */
export interface Turn {
  readonly owner: string;
  readonly id: string;
  readonly target: string;
  readonly question: string;
  /** Values that are kept nowhere in clear. */
  readonly hidden: readonly string[];
}

/** What the server can do with runs that outlive a process. Everything resolves once it is on disk. */
export interface DurableRuns {
  /**
   * Starts a run. `key`: a second start with the same one gives the first run (`created` false). Throws what the hub throws when
   * it takes no runs, `too_many_runs` where the flow refuses those beyond its limit, `durable_too_large` for a plan with too many
   * steps, `storage_failed`.
   */
  start(request: RunRequest, options?: DurableOptions): Promise<{ run: string; created: boolean }>;
  /** How many wait for people or for a time to come, those of earlier processes too. */
  readonly waiting: number;
  get(run: string): Promise<DurableView | undefined>;
  /** Newest first. */
  list(query: DurableQuery): Promise<DurableView[]>;
  /**
   * The end, with the answer or the error: at once when it is over already, and after a restart too. Rejects with the signal's
   * reason, or `run_not_found`.
   */
  ended(run: string, signal?: AbortSignal): Promise<DurableEnd>;
  /** The first time the run parks or ends; the same rejections. For who waits no longer than needed for an answer. */
  settled(run: string, signal?: AbortSignal): Promise<DurableView>;
  /** False when it is unknown or over. */
  cancel(run: string, by: string): Promise<boolean>;
  /**
   * A run that failed or was cancelled, once more from where it failed: what was recorded is kept. A new run, linked by
   * `retryOf`. `version: 'live'`: on the live version, keeping the results of nodes that (and whose upstream) did not change.
   * Takes its turn where the flow is at its limit. As long as that new run has not ended, another call gives the same one. Throws `run_not_found`, `run_not_retryable`.
   */
  retry(run: string, options?: RetryOptions): Promise<{ run: string }>;
  /**
   * Forgets runs that have ended, with their waits and whatever else is kept of them here: nobody finds them after that. Those
   * that have not ended stay. Resolves to both kinds; runs that are unknown are neither.
   */
  forget(runs: readonly string[]): Promise<Forgotten>;
  /** For webhooks, error flow, dead letters: called at least once per run, also after a restart. Until the promise resolves it counts as not told. */
  onEnd(fn: (end: DurableEnd) => void | Promise<void>): void;
  /** Leaves runs where they are; they go on when the server is started again. */
  close(graceMs: number): Promise<void>;
}

export interface DurableOptions {
  readonly key?: string | undefined;
  /** Who is told of the end, as `after-runs/notify.ts` writes it. */
  readonly webhook?: string | undefined;
  /** What of its answer is remembered, and where; gone once everyone was told of the end of a run that went well. */
  readonly memory?: Turn | undefined;
  /** Kept with the run for whoever limits runs. */
  readonly concurrencyKey?: string | undefined;
}

export interface RetryOptions {
  readonly version?: 'same' | 'live' | undefined;
}

export interface DurableQuery {
  readonly flow?: string | undefined;
  readonly status?: readonly StoredStatus[] | undefined;
  /** Run id to continue after (older ones follow). */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** A run as it stands. Times are Unix milliseconds. */
export interface DurableView extends DurableOptions {
  readonly run: string;
  readonly flow: string;
  readonly version: string;
  readonly trigger: string;
  readonly source: RunSummary['source'];
  readonly status: StoredStatus;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  /** Times it was begun or carried on. */
  readonly passes: number;
  /** What it waits for, where its status is `waiting`. */
  readonly waitingFor?:
    | readonly { readonly key: string; readonly node: string; readonly what: WaitFor }[]
    | undefined;
  /** Who cancelled it. */
  readonly cancelledBy?: string | undefined;
  /** The run that this one tries again. */
  readonly retryOf?: string | undefined;
  readonly answer?: DurableAnswer | undefined;
  /** The answer was a stream: its body is the list of its items. */
  readonly streamed?: boolean | undefined;
  readonly error?: RunError | undefined;
}

export interface DurableAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** JSON; the items where it was a stream; undefined for 204. */
  readonly body?: unknown;
}

/** The view of a run that is over. */
export interface DurableEnd extends DurableView {
  readonly status: 'ok' | 'failed' | 'cancelled';
  readonly endedAt: number;
}

/** Where waits for people live. Every method resolves once it is on disk. */
export interface WaitStore {
  /** Does nothing when there is one of this run and key. */
  open(wait: OpenWait): Promise<void>;
  /** The stored decision; `value` is undefined where it was given up. */
  answer(run: string, key: string): Promise<{ readonly value: unknown } | undefined>;
  /** The run is over: its open waits are void. */
  close(run: string): Promise<void>;
  /** The run is deleted: its waits are gone, whatever was decided. */
  forget(run: string): Promise<void>;
  /** A hint that a decision of this run was stored. */
  onAnswer(fn: (run: string) => void): void;
}

export interface OpenWait {
  readonly run: string;
  readonly key: string;
  readonly node: string;
  readonly flow: string;
  readonly what: WaitFor;
  readonly at: number;
}
