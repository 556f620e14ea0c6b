import type { Caller, CancelReason, Run, StartOptions, TriggerRequest } from '#engine';
import type { RunEvent, RunInPart, RunSummary } from '#shared/run-event.ts';
import type { LiveFlow } from '../flows/flow-types.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { TimeCounts } from './run-counts.ts';
import type { Leave } from './run-limits.ts';
import type { Gap } from '../history/follower.ts';
import type { RunQuery } from '../history/history.ts';
import type { FeedItem } from '../watching/feed-ring.ts';
import type { Untrusted } from '../secrets/store.ts';

export interface RunRequest {
  readonly flow: LiveFlow;
  readonly trigger: string;
  readonly request: TriggerRequest;
  readonly output: unknown;
  readonly source: RunSummary['source'];
  /** Name of the API key that asked for it, where one did. */
  readonly apiKey?: string | undefined;
  /** Set when another run starts this one. */
  readonly part?: RunPart;
  /** Its place among the runs of its flow, where it has one already. */
  readonly place?: Leave | undefined;
  /** Record everything, whatever the sampling says (a draft test, a watcher). */
  readonly record?: 'full';
  /** Set where the run outlives the process: one go at carrying it out. */
  readonly pass?: RunPass;
  /** Told at the start of the run's record, which takes `record: 'full'`. */
  readonly inPart?: RunInPart | undefined;
  readonly untrusted?: Untrusted | undefined;
  /** Masks what of this run is shown or kept nowhere, and secrets; the hub knows it where it is left out. */
  readonly masks?: Redactor | undefined;
}

/** One go at a durable run: from its start, or from where it was left. */
export interface RunPass extends Required<Pick<StartOptions, 'id' | 'startedAt' | 'vars' | 'ctx' | 'key'>> {
  /** There was one before, so that some of it has been told. */
  readonly again: boolean;
}

/** A run that is a part of another one. */
export interface RunPart {
  readonly parent: Caller;
  /** What its idempotency keys begin with: the same for each attempt of the call. */
  readonly key: string;
  /** A limit besides the one of its flow, in milliseconds. */
  readonly atMostMs?: number | undefined;
}

/** Counts of this process, for metrics. */
export interface RunStats {
  /** Started and not ended. */
  readonly inFlight: number;
  readonly started: number;
  readonly ok: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Refused with `overloaded` or `draining`. */
  readonly refused: number;
  /** Runs of which the history could not keep what it should have. */
  readonly dropped: number;
  /** Large values of which only the beginning could be kept, and recordings that could not. */
  readonly lostValues: number;
  /** Times by flow. */
  readonly flows: ReadonlyMap<string, TimeCounts>;
  /** Nodes that failed, by operator. */
  readonly failures: ReadonlyMap<string, number>;
  /** Traced runs whose spans could not be sent. */
  readonly untraced: number;
}

/** Starts, stops and follows runs. */
export interface RunHub {
  /** Whether `start` would take a run of this flow now, by itself. */
  accepts(flow: string): boolean;
  /** Throws `overloaded` or `draining`; a part of another run is let in also when others are not, since that one waits for it. */
  start(request: RunRequest): Run;
  readonly inFlight: number;
  /** Throws what `start` would throw now for this flow. */
  admit(flow: string): void;
  /** Starts or carries on a durable run: with `pass`, and never refused. Watchers get one sequence of events over all passes. */
  carryOn(request: RunRequest & { readonly pass: RunPass }): Promise<Run>;
  /** Lets go of a durable run where it stands; it is waiting until it is carried on. */
  leave(id: string): void;
  /** Cancels a run in progress; false when there is none with this id. */
  cancel(id: string, reason: CancelReason): boolean;
  get(id: string): Promise<RunSummary | undefined>;
  list(query: RunQuery): Promise<RunSummary[]>;
  /** What a run in progress was started with; undefined for one that is over. */
  requestOf(id: string): RunRequest | undefined;
  /** Forgets an ended run. Throws `run_not_found`, or `conflict` while it is in progress. */
  remove(id: string): Promise<void>;
  /** Events with `seq` greater than `after`, a gap where some are gone; undefined when the run is unknown. */
  events(id: string, after: number): Promise<(RunEvent | Gap)[] | undefined>;
  /** A large value that an event of the run names by its hash, as JSON; undefined when it is not kept. */
  value(id: string, hash: string): Promise<string | undefined>;
  /** What an ended run got from outside, as JSON (`StoredTape`); undefined where that was not recorded. */
  tape(id: string): Promise<string | undefined>;
  /**
   * Past events after `after`, then live ones, without holes or repeats. `json` is the same as text, written once for all
   * watchers. `fn` returning `false` ends the watch. Resolves to undefined when the run is unknown.
   */
  watch(
    id: string,
    after: number,
    fn: (event: RunEvent | Gap, json: string) => unknown,
  ): Promise<(() => void) | undefined>;
  /**
   * The feed of all runs (of one flow, if given) from a cursor on; without a cursor, from now on. `fn` as above. Parts of other
   * runs are not in it.
   */
  watchAll(
    after: number | undefined,
    flow: string | undefined,
    fn: (item: FeedItem | Gap, json: string) => unknown,
  ): () => void;
  stats(): RunStats;
  /** Stops taking runs, waits `graceMs` for those in progress, then cancels the rest. */
  drain(graceMs: number): Promise<void>;
}
