import type { RunSummary } from '#shared/run-event.ts';
import type { KeptValue } from './blobs/blob-store.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** Which runs are listed. */
export interface RunQuery {
  readonly flow?: string | undefined;
  readonly status?: RunSummary['status'] | undefined;
  readonly source?: RunSummary['source'] | undefined;
  /** Code of the error it failed with. */
  readonly code?: string | undefined;
  /** Started at this time or later, in Unix milliseconds. */
  readonly since?: number | undefined;
  /** Started before this time. */
  readonly until?: number | undefined;
  /** Part of its id, its flow's id or its error, ignoring case. */
  readonly text?: string | undefined;
  /** Only the runs that this run started. */
  readonly parent?: string | undefined;
  /** Includes runs that another run started, which are left out otherwise. */
  readonly nested?: boolean | undefined;
  readonly limit: number;
  /** Run id to continue after (older ones follow). */
  readonly before?: string | undefined;
}

/** Events of one run, by ascending `seq`. */
export interface EventBatch {
  readonly run: string;
  readonly flow: string;
  /** Unix milliseconds; decides which day's file the events are stored in. */
  readonly startedAt: number;
  readonly events: readonly RecordedEvent[];
  /** Values that are too large to be part of these events. */
  readonly values?: readonly KeptValue[];
  /** Everything that the run received from outside, as JSON without secrets (`RunTape`). */
  readonly tape?: string;
}

/**
 * Storage for ended runs, bounded by its implementation. Removed runs are simply missing; readers see that from
 * `recorded` and from gaps in the sequence numbers. `history.contract.ts` tests every implementation.
 * H1. Appended data is visible to reads made after the append resolved.
 * H2. A run's events may come in several batches; each continues the one before.
 * H3. A summary is read with a `recorded` that shows whether events are stored now, whatever was appended.
 * H4. Ids sort by start, so newest first means descending by id.
 * H5. A summary is not read before the events that were appended before it, whether their append has resolved or not.
 */
export interface RunHistory {
  /** Adds ended runs. Rejects if they could not be stored; the caller then counts them as dropped. */
  appendSummaries(rows: readonly RunSummary[]): Promise<void>;
  /** Returns how many values of the batches could not be stored beside the events. */
  appendEvents(batches: readonly EventBatch[]): Promise<number>;
  get(run: string): Promise<RunSummary | undefined>;
  /** Newest first, at most `limit`, only ids below `before`. */
  list(query: RunQuery): Promise<RunSummary[]>;
  /** Stored events with `seq` above `after`, ascending; empty if the run is unknown or its events have been removed. */
  events(run: string, after: number): Promise<RecordedEvent[]>;
  /** A large value of a run's events, as JSON; undefined if the run has none with this hash, or it has been removed. */
  value(run: string, hash: string): Promise<string | undefined>;
  /** The run's tape as it was appended; undefined without one. */
  tape(run: string): Promise<string | undefined>;
  /** Deletes a run with its events; false if it is unknown. */
  remove(run: string): Promise<boolean>;
  /** Deletes runs that started before `time` (Unix milliseconds); returns how many. */
  prune(time: number): Promise<number>;
  /**
   * Gives this many bytes of the limit to the files of runs, and removes the oldest runs that no longer fit. Returns
   * the stored bytes. Undefined if the history has no limit.
   */
  reserve?(bytes: number): Promise<number>;
  close(): Promise<void>;
}
