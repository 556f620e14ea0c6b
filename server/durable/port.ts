/**
 * The port behind which runs outlive the process: an engine that keeps runs with the recorded results of their steps, and
 * hands each run that can go on to the one generic body (`executor.ts`). It knows nothing of flows; all data are texts (JSON).
 *
 * DP1. What a call resolved is on disk (the memory engine: as long as the engine lives).
 * DP2. A step's record never changes; a step that has one is never carried out again.
 * DP3. A run is handed out at most once at a time, again after a crash, and until its end is recorded.
 */
export interface DurableEngine {
  /** From now on runs that can go on are handed out, also those of an earlier process. */
  begin(host: EngineHost): void;
  /** Gives the run that has this `key` already, if there is one. Rejects with `storage_failed`. */
  start(run: NewRun): Promise<{ readonly run: string; readonly created: boolean }>;
  /** Something that the parked run waits for may have happened; harmless when it has not, and never lost. */
  wake(run: string): Promise<void>;
  /** Notes that the run is to end, and hands it out if it is parked. False when it is unknown or over. */
  cancel(run: string, by: string): Promise<boolean>;
  get(run: string): Promise<StoredRun | undefined>;
  /** Newest first. */
  list(query: StoredQuery): Promise<StoredRun[]>;
  /** Recorded steps in the order in which they were recorded. */
  steps(run: string): Promise<RecordedStep[]>;
  /** A text that many runs share, by its name: kept once. */
  putText(name: string, text: string): Promise<void>;
  getText(name: string): Promise<string | undefined>;
  /** Forgets texts that no run needs and that are not among `except`. One after the other with `putText` and `start`. */
  dropTexts(except: readonly string[]): Promise<void>;
  /** Notes that everyone was told of the run's end. From then on `input`, where it is given, is all that is kept of what it began with. */
  told(run: string, input?: string): Promise<void>;
  /** Forgets runs that ended before `time` (Unix milliseconds) and were told; gives their ids. */
  prune(time: number): Promise<string[]>;
  /** Forgets those of the runs that have ended, told or not; gives both kinds. Runs that are unknown are neither. */
  forget(runs: readonly string[]): Promise<Forgotten>;
  /** Hands out no more runs, waits for passes in progress to suspend, and lets go of the files. */
  close(): Promise<void>;
}

/** What became of runs that were to be forgotten. */
export interface Forgotten {
  readonly gone: readonly string[];
  /** They have not ended. */
  readonly left: readonly string[];
}

export type StoredStatus = 'pending' | 'running' | 'waiting' | 'ok' | 'failed' | 'cancelled';

export interface NewRun {
  readonly run: string;
  /** Unique among all runs that are kept. */
  readonly key?: string | undefined;
  readonly flow: string;
  readonly version: string;
  /** Everything else that carrying it out takes. */
  readonly input: string;
  /** Names of the shared texts that it needs. */
  readonly texts: readonly string[];
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Steps that count as recorded from the start. */
  readonly steps?: readonly RecordedStep[] | undefined;
}

export interface StoredRun extends Omit<NewRun, 'steps' | 'texts'> {
  readonly status: StoredStatus;
  /** Passes that were begun. */
  readonly passes: number;
  /** What it waits for, where it is parked (JSON). */
  readonly waitingFor?: string | undefined;
  /** Who cancelled it; it may still be on its way to its end. */
  readonly cancelledBy?: string | undefined;
  /** Its end, where it has one (JSON). */
  readonly end?: string | undefined;
  readonly endedAt?: number | undefined;
}

export interface StoredQuery {
  readonly flow?: string | undefined;
  readonly key?: string | undefined;
  readonly status?: readonly StoredStatus[] | undefined;
  /** Only runs with an id below this one. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface RecordedStep {
  readonly key: string;
  readonly result: string;
}

export interface RunEnd {
  readonly status: 'ok' | 'failed' | 'cancelled';
  readonly end: string;
  readonly at: number;
}

/** One go at a run: from its start, or from where it was left. */
export interface Pass {
  readonly run: StoredRun;
  /** What earlier passes recorded. */
  readonly steps: readonly RecordedStep[];
  /** Records a step once `fn` has its result. Rejects when it cannot be recorded: then the pass must be given up. */
  step(key: string, fn: () => Promise<string>): Promise<string>;
}

export type PassEnd =
  /** Goes on when it is woken, at the latest at `until`. */
  | { readonly kind: 'parked'; readonly until?: number | undefined; readonly waitingFor: string }
  | ({ readonly kind: 'ended' } & RunEnd)
  /** Stays where it is, for the next process. */
  | { readonly kind: 'suspended' };

export interface EngineHost {
  /** Carries a run on. When it rejects, the run is handed out again after a while. */
  carryOn(pass: Pass): Promise<PassEnd>;
  /** Told when a run was parked. */
  parked(run: StoredRun): void;
  /** Told when a run's end is recorded, and of all those of earlier processes that were not told. */
  ended(run: StoredRun): void;
}
