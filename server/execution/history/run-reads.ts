import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { Gap } from './follower.ts';
import type { RunQuery } from './history.ts';

/** Read access to runs, those in progress and finished ones. */
export interface RunReads {
  get(id: string): Promise<RunSummary | undefined>;
  list(query: RunQuery): Promise<RunSummary[]>;
  /** Events with `seq` greater than `after`, with a gap if some were removed; undefined if the run is unknown. */
  events(id: string, after: number): Promise<(RunEvent | Gap)[] | undefined>;
  /** A large value that an event of the run names by its hash, as JSON; undefined if it is not stored. */
  value(id: string, hash: string): Promise<string | undefined>;
  /** Everything that an ended run received from outside, as JSON (`StoredTape`); undefined if it was not recorded. */
  tape(id: string): Promise<string | undefined>;
}
