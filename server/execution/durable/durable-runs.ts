import type { WaitFor } from '#engine';
import type { RunError, RunSummary } from '#shared/run-event.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { Forgotten, StoredStatus } from './port.ts';

/** A question, as JSON, and the conversation that it and its answer are added to. */
export interface Turn {
  readonly owner: string;
  readonly id: string;
  readonly target: string;
  readonly question: string;
  /** Values that are never stored in clear text. */
  readonly hidden: readonly string[];
}

/** The operations on runs that outlive a process. Every promise resolves once the result is stored. */
export interface DurableRuns {
  /**
   * Starts a run. A second start with the same `key` returns the first run (`created` false). Throws the hub's errors
   * when it accepts no runs, `too_many_runs` if the flow refuses runs beyond its limit, `durable_too_large` for a plan
   * with too many steps, `storage_failed`.
   */
  start(request: RunRequest, options?: DurableOptions): Promise<{ run: string; created: boolean }>;
  /** The number of runs that wait for people or a future time, including those of earlier processes. */
  readonly waiting: number;
  get(run: string): Promise<DurableView | undefined>;
  /** Newest first. */
  list(query: DurableQuery): Promise<DurableView[]>;
  /**
   * Resolves to the end of the run, with its answer or error: at once if the run is already over, and also after a
   * restart. Rejects with the signal's reason, or `run_not_found`.
   */
  ended(run: string, signal?: AbortSignal): Promise<DurableEnd>;
  /**
   * Resolves when the run parks or ends for the first time. Rejects like `ended`. For callers that wait for an answer
   * only while it may come soon.
   */
  settled(run: string, signal?: AbortSignal): Promise<DurableView>;
  /** False if the run is unknown or over. */
  cancel(run: string, by: string): Promise<boolean>;
  /**
   * Retries a failed or cancelled run from where it failed: recorded results are kept. Creates a new run, linked by
   * `retryOf`, which waits for its turn if the flow is at its limit. With `version: 'live'` it runs on the live version
   * and keeps the results of nodes that, with their upstream nodes, did not change. Until the new run has ended,
   * another call returns the same one. Throws `run_not_found`, `run_not_retryable`.
   */
  retry(run: string, options?: RetryOptions): Promise<{ run: string }>;
  /**
   * Deletes finished runs with their waits and all other stored data; unfinished runs stay. Resolves to both kinds;
   * unknown runs are in neither.
   */
  forget(runs: readonly string[]): Promise<Forgotten>;
  /**
   * For webhooks, error flows and dead letters: called at least once per run, also after a restart. The end counts as
   * not reported until the promise resolves.
   */
  onEnd(fn: (end: DurableEnd) => void | Promise<void>): void;
  /** Leaves runs where they are; they continue when the server is started again. */
  close(graceMs: number): Promise<void>;
}

/** Options of a durable run that is started. */
export interface DurableOptions {
  readonly key?: string | undefined;
  /** The address to notify of the end, as written by `after-runs/notify.ts`. */
  readonly webhook?: string | undefined;
  /** The conversation that its answer is added to; deleted once the end of a successful run was reported. */
  readonly memory?: Turn | undefined;
  /** Stored with the run for the limits on runs. */
  readonly concurrencyKey?: string | undefined;
}

/** How a failed run is tried again: with the version that it had, or the live one. */
export interface RetryOptions {
  readonly version?: 'same' | 'live' | undefined;
}

/** Which runs are listed. */
export interface DurableQuery {
  readonly flow?: string | undefined;
  readonly status?: readonly StoredStatus[] | undefined;
  /** Only runs older than this id. */
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
  /** How often it was started or continued. */
  readonly passes: number;
  /** What it waits for, if its status is `waiting`. */
  readonly waitingFor?:
    | readonly { readonly key: string; readonly node: string; readonly what: WaitFor }[]
    | undefined;
  /** The actor that cancelled it. */
  readonly cancelledBy?: string | undefined;
  /** The run that this one retries. */
  readonly retryOf?: string | undefined;
  readonly answer?: DurableAnswer | undefined;
  /** The answer was a stream: its body is the list of its items. */
  readonly streamed?: boolean | undefined;
  readonly error?: RunError | undefined;
}

/** The answer of a run that has ended. */
export interface DurableAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** JSON; the items if it was a stream; undefined for 204. */
  readonly body?: unknown;
}

/** The view of a finished run. */
export interface DurableEnd extends DurableView {
  readonly status: 'ok' | 'failed' | 'cancelled';
  readonly endedAt: number;
}

/** Storage for waits for people. Every method resolves once the change is stored. */
export interface WaitStore {
  /** Does nothing if this run already has a wait with this key. */
  open(wait: OpenWait): Promise<void>;
  /** The stored decision; `value` is undefined if it was withdrawn. */
  answer(run: string, key: string): Promise<{ readonly value: unknown } | undefined>;
  /** Closes the open waits of a run that is over. */
  close(run: string): Promise<void>;
  /** Deletes the waits of a deleted run, decided or not. */
  forget(run: string): Promise<void>;
  /** Called with a run for which a decision may have been stored; `isOwn` if by this server. */
  onAnswer(fn: (run: string, isOwn?: boolean) => void): void;
}

/** Something that a run waits for. */
export interface OpenWait {
  readonly run: string;
  readonly key: string;
  readonly node: string;
  readonly flow: string;
  readonly what: WaitFor;
  readonly at: number;
}
