import type { RunClaim } from '#engine';
import type { Limited, RunLimits } from '../runs/run-limits.ts';
import type { RecordLimits } from './size.ts';

/**
 * The port behind which runs outlive the process: an engine that stores runs with the recorded results of their steps,
 * and hands each run that can continue to the one generic body (`executor.ts`). It knows nothing of flows; all data are
 * texts (JSON).
 * DP1. Everything that a call has resolved to is stored (in the memory engine, as long as the engine lives).
 * DP2. A step's record never changes; a step that has one is never executed again. A record may go when another one replaces it.
 * DP3. A run is handed out at most once at a time, again after a crash, and until its end is recorded.
 */
export interface DurableEngine {
  /** Starts to hand out runs that can continue, including those of an earlier process. */
  begin(host: EngineHost): void;
  /** Returns the run that already has this `key`, if there is one. Rejects with `storage_failed`. */
  start(run: NewRun): Promise<{ readonly run: string; readonly created: boolean }>;
  /** Call it when an event that the parked run waits for may have happened; harmless if it has not, and never lost. */
  wake(run: string): Promise<void>;
  /** Requests the end of the run, and hands it out if it is parked. False if it is unknown or over. */
  cancel(run: string, by: string): Promise<boolean>;
  get(run: string): Promise<StoredRun | undefined>;
  /** Newest first. */
  list(query: StoredQuery): Promise<StoredRun[]>;
  /** In recording order. */
  steps(run: string): Promise<RecordedStep[]>;
  /** Stores a text that many runs share, once, by its name. */
  putText(name: string, text: string): Promise<void>;
  getText(name: string): Promise<string | undefined>;
  /**
   * Deletes texts that no run needs and that are not among `except`. Never runs at the same time as `putText` and
   * `start`.
   */
  dropTexts(except: readonly string[]): Promise<void>;
  /**
   * Notes that the run's end was reported to all listeners. From then on `input`, if given, replaces the stored input
   * of the run.
   */
  told(run: string, input?: string): Promise<void>;
  /** Deletes runs that ended before `time` (Unix milliseconds) and were reported; returns their ids. */
  prune(time: number): Promise<string[]>;
  /** Deletes those of the runs that have ended, reported or not; returns both kinds. Unknown runs are in neither. */
  forget(runs: readonly string[]): Promise<Forgotten>;
  /** Hands out no more runs, waits for passes in progress to suspend, and closes the files. */
  close(): Promise<void>;
  /** Present if other servers execute the same runs. */
  readonly shared?: SharedEngine | undefined;
}

/** The additional parts of an engine whose runs several servers share. */
export interface SharedEngine {
  /** The limits on a run's records, if they are lower than usual. */
  readonly limits?: RecordLimits;
  /** The number of runs that wait for people or a time, on all servers. */
  waiting(): Promise<number>;
  /** The order in which runs of limited flows get their turn, across all servers. */
  turns(limits: Pick<RunLimits, 'groupOf'>): TurnOrder;
}

/** Decides which runs of limited flows are in progress. */
export interface TurnOrder {
  /**
   * Reserves a place for a run that is about to start, if its flow refuses runs beyond its limit: throws
   * `too_many_runs`. If other runs wait, it may get its place in the queue instead. Give both back with `ended` if
   * the run does not start.
   */
  reserve(run: string, limited: Limited): Promise<void>;
  /** Whether the run may continue; if not, it is woken when its turn comes. */
  mayGoOn(pass: Pass, request: Limited): Promise<boolean>;
  /** The run is over; its place is free once this has resolved. */
  ended(run: string): void | Promise<void>;
}

/** The result of deleting runs. */
export interface Forgotten {
  readonly gone: readonly string[];
  /** The runs that have not ended. */
  readonly left: readonly string[];
}

export type StoredStatus = 'pending' | 'running' | 'waiting' | 'ok' | 'failed' | 'cancelled';

/** A run before its first pass. */
export interface NewRun {
  readonly run: string;
  /** Unique among all stored runs. */
  readonly key?: string | undefined;
  readonly flow: string;
  readonly version: string;
  /** Everything else that its execution needs. */
  readonly input: string;
  /** Names of the shared texts that it needs. */
  readonly texts: readonly string[];
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Steps that count as recorded from the start. */
  readonly steps?: readonly RecordedStep[] | undefined;
}

/** A run as the engine keeps it. */
export interface StoredRun extends Omit<NewRun, 'steps' | 'texts'> {
  readonly status: StoredStatus;
  /** Number of passes that were started. */
  readonly passes: number;
  /** The waits of a parked run (JSON). */
  readonly waitingFor?: string | undefined;
  /** The actor that cancelled it; it may not have ended yet. */
  readonly cancelledBy?: string | undefined;
  /** Its end, if it has one (JSON). */
  readonly end?: string | undefined;
  readonly endedAt?: number | undefined;
}

/** Which runs are listed. */
export interface StoredQuery {
  readonly flow?: string | undefined;
  readonly key?: string | undefined;
  readonly status?: readonly StoredStatus[] | undefined;
  /** Only runs with an id below this one. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** The stored result of a step, as JSON. */
export interface RecordedStep {
  readonly key: string;
  readonly result: string;
}

/** The end of a run. */
export interface RunEnd {
  readonly status: 'ok' | 'failed' | 'cancelled';
  readonly end: string;
  readonly at: number;
}

/** One interpretation of a run: from its start, or from where it was left. */
export interface Pass {
  readonly run: StoredRun;
  /** The records of earlier passes. */
  readonly steps: readonly RecordedStep[];
  /** Present if another process may take the run over. */
  readonly claim?: RunClaim | undefined;
  /**
   * Records a step once `fn` has its result. Rejects if it cannot be recorded: then the pass must be given up. `replaces`: the keys of
   * records of this run that go when this one comes, both or neither; unknown ones, and those that the run was given, are passed over.
   */
  step(key: string, fn: () => Promise<string>, replaces?: readonly string[]): Promise<string>;
}

export type PassEnd =
  /** Continues when it is woken, at the latest at `until`. */
  | { readonly kind: 'parked'; readonly until?: number | undefined; readonly waitingFor: string }
  | ({ readonly kind: 'ended' } & RunEnd)
  /** The run stays where it is, for the next process. */
  | { readonly kind: 'suspended' };

/** The server, as its engine sees it. */
export interface EngineHost {
  /** Continues a run. If it rejects, the run is handed out again after a while. */
  carryOn(pass: Pass): Promise<PassEnd>;
  /** Called when a run was parked. */
  parked(run: StoredRun): void;
  /** Called when a run's end is recorded, and for all ends of earlier processes that were not reported. */
  ended(run: StoredRun): void;
  /** A run in a pass here may continue, or is to end: another server was notified. */
  woken?(run: StoredRun): void;
  /** A run in a pass here was taken over by another server: it must do nothing more here. */
  lost?(run: string): void;
  /** A run may have been parked or have ended on another server. Without a run, any of them may have. */
  settledElsewhere?(run?: string): void;
  /** Runs with a decision about one of their waits, which they may already know. */
  decided?(waiting: readonly { readonly run: string; readonly waitingFor: string }[]): Promise<void>;
}
