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
  /** Runs that the history could not store completely. */
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
  /** Whether `start` would accept a run of this flow now, unless it is a part of another run. */
  accepts(flow: string): boolean;
  /**
   * Throws `overloaded` or `draining`; a part of another run is accepted even if other runs are not, because that run
   * waits for it.
   */
  start(request: RunRequest): Run;
  /**
   * Takes a place for a run whose flow limits its runs, if servers share the limit: `start` needs it in the request.
   * Undefined if `start` takes one itself.
   */
  placeFor?(request: RunRequest): Promise<Leave> | undefined;
  readonly inFlight: number;
  /** Throws the error with which `start` would refuse a run of this flow now. */
  admit(flow: string): void;
  /**
   * Starts or continues a durable run: it has a `pass`, and is never refused. Watchers get one sequence of events over
   * all passes.
   */
  carryOn(request: RunRequest & { readonly pass: RunPass }): Promise<Run>;
  /** Releases a durable run where it is; it waits until it continues. `isLost` if another server already has it. */
  leave(id: string, isLost?: boolean): void;
  /** Releases a part of a durable run that continues elsewhere: it is started again there, so nothing of it is recorded here. */
  leavePart(id: string): void;

  /** Cancels a run in progress; false if there is none with this id. */
  cancel(id: string, reason: CancelReason): boolean;
  /** The request of a run in progress; undefined for one that is over. */
  requestOf(id: string): RunRequest | undefined;
  /** Deletes an ended run. Throws `run_not_found`, or `conflict` while it is in progress. */
  remove(id: string): Promise<void>;
  /** Resolves when the history has every run that has ended or been left by now, or counts it as dropped. */
  stored(): Promise<void>;
  stats(): RunStats;
  /** Stops accepting runs, waits `graceMs` for those in progress, then cancels the rest. */
  drain(graceMs: number): Promise<void>;
}
