import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { Gap } from './follower.ts';
import type { RunQuery } from './history.ts';

/** What can be asked of runs, those in progress and those that are over. */
export interface RunReads {
  get(id: string): Promise<RunSummary | undefined>;
  list(query: RunQuery): Promise<RunSummary[]>;
  /** Events with `seq` greater than `after`, a gap where some are gone; undefined when the run is unknown. */
  events(id: string, after: number): Promise<(RunEvent | Gap)[] | undefined>;
  /** A large value that an event of the run names by its hash, as JSON; undefined when it is not kept. */
  value(id: string, hash: string): Promise<string | undefined>;
  /** What an ended run got from outside, as JSON (`StoredTape`); undefined where that was not recorded. */
  tape(id: string): Promise<string | undefined>;
}
