import type { CancelReason, Run } from '#engine';
import type { TimeCounts } from './run-counts.ts';
import type { Leave, RunRequest, RunPass } from '../../flows/service/run-request.ts';
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
  /** Runs that the history could not store as it should have. */
  readonly dropped: number;
  /** Large values of which only the beginning could be stored, and recordings that could not be stored. */
  readonly lostValues: number;
  /** Durations by flow. */
  readonly flows: ReadonlyMap<string, TimeCounts>;
  /** Nodes that failed, by operator. */
  readonly failures: ReadonlyMap<string, number>;
  /** Traced runs whose spans could not be sent. */
  readonly untraced: number;
}

/** Starts, stops and follows runs. */
export interface RunHub extends RunReads, RunWatches {
  /** Whether `start` would accept a run of this flow now that is not a part of another. */
  accepts(flow: string): boolean;
  /**
   * Throws `overloaded` or `draining`; a part of another run is accepted even if others are not, because that run
   * waits for it.
   */
  start(request: RunRequest): Run;
  /**
   * Takes a place for a run whose flow limits them, where servers share the limit: `start` needs it in the request. Undefined if
   * `start` takes one by itself.
   */
  placeFor?(request: RunRequest): Promise<Leave> | undefined;
  readonly inFlight: number;
  /** Throws what `start` would throw now for this flow. */
  admit(flow: string): void;
  /**
   * Starts or continues a durable run: with `pass`, and never refused. Watchers get one sequence of events over all
   * passes.
   */
  carryOn(request: RunRequest & { readonly pass: RunPass }): Promise<Run>;
  /** Releases a durable run where it is; it waits until it continues. `isLost`: another server already has it. */
  leave(id: string, isLost?: boolean): void;

  /** Cancels a run in progress; false if there is none with this id. */
  cancel(id: string, reason: CancelReason): boolean;
  /** The request of a run in progress; undefined for one that is over. */
  requestOf(id: string): RunRequest | undefined;
  /** Deletes an ended run. Throws `run_not_found`, or `conflict` while it is in progress. */
  remove(id: string): Promise<void>;
  stats(): RunStats;
  /** Stops accepting runs, waits `graceMs` for those in progress, then cancels the rest. */
  drain(graceMs: number): Promise<void>;
}
