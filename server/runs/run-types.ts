import type { CancelReason, Run } from '#engine';
import type { TimeCounts } from './run-counts.ts';
import type { RunRequest, RunPass } from '../flows/run-request.ts';
import type { RunReads } from '../history/run-reads.ts';
import type { RunWatches } from '../watching/run-watches.ts';

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
export interface RunHub extends RunReads, RunWatches {
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
  /** What a run in progress was started with; undefined for one that is over. */
  requestOf(id: string): RunRequest | undefined;
  /** Forgets an ended run. Throws `run_not_found`, or `conflict` while it is in progress. */
  remove(id: string): Promise<void>;
  stats(): RunStats;
  /** Stops taking runs, waits `graceMs` for those in progress, then cancels the rest. */
  drain(graceMs: number): Promise<void>;
}
