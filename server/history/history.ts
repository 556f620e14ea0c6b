import type { RunSummary } from '#shared/run-event.ts';
import type { KeptValue } from './blobs/blob-store.ts';
import type { RecordedEvent } from './recorded-event.ts';

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
  /** Part of its id, its flow's id or its error, in any case. */
  readonly text?: string | undefined;
  /** Those that this run started. */
  readonly parent?: string | undefined;
  /** Also those that some run started; they are left out otherwise. */
  readonly nested?: boolean | undefined;
  readonly limit: number;
  /** Run id to continue after (older ones follow). */
  readonly before?: string | undefined;
}

/** Events of one run, in order of `seq`. */
export interface EventBatch {
  readonly run: string;
  readonly flow: string;
  /** Unix milliseconds; decides with which day's runs the events are kept. */
  readonly startedAt: number;
  readonly events: readonly RecordedEvent[];
  /** Values of these events that are too large to stand in them. */
  readonly values?: readonly KeptValue[];
  /** What the run got from outside, as JSON without secrets (`RunTape`). */
  readonly tape?: string;
}

/**
 * Where ended runs are kept. Bounded by its implementation; what is forgotten is simply not there any more, and readers see
 * that from `recorded` and from holes in the sequence numbers. `history.contract.ts` says what every implementation does.
 * H1. What was appended is visible to reads made after the append resolved.
 * H2. A run's events may come in several batches; each continues the one before.
 * H3. `recorded` of a summary that is read says whether events are kept now, whatever it said when it was appended.
 * H4. Ids sort by start, so newest first means: descending by id.
 */
export interface RunHistory {
  /** Adds ended runs. Rejects when they could not be kept; the caller then counts them as dropped. */
  appendSummaries(rows: readonly RunSummary[]): Promise<void>;
  /** Gives how many values of the batches could not be kept beside the events. */
  appendEvents(batches: readonly EventBatch[]): Promise<number>;
  get(run: string): Promise<RunSummary | undefined>;
  /** Newest first, at most `limit`, only ids below `before`. */
  list(query: RunQuery): Promise<RunSummary[]>;
  /** Kept events with `seq` above `after`, ascending; empty when the run is unknown or its events are gone. */
  events(run: string, after: number): Promise<RecordedEvent[]>;
  /** A large value of a run's events, as JSON; undefined when the run has none of this hash, or it is gone. */
  value(run: string, hash: string): Promise<string | undefined>;
  /** The run's tape as it was appended; undefined without one. */
  tape(run: string): Promise<string | undefined>;
  /** Forgets a run with its events; false when it is unknown. */
  remove(run: string): Promise<boolean>;
  /** Forgets runs that started before `time` (Unix milliseconds); gives how many. */
  prune(time: number): Promise<number>;
  close(): Promise<void>;
}
