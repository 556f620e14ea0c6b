import type { RunSummary } from '#shared/run-event.ts';
import type { EventBatch, RunQuery } from '../history.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import type { Pack } from './packs.ts';
import type { JournalLimits } from './segments.ts';

/** The messages between the server's thread and the journal's. */

/** Where the journal is, and how large it may become. */
export interface JournalSetup {
  readonly folder: string;
  /** Folder of the large values. */
  readonly blobs: string;
  readonly limits: JournalLimits;
}

/** The functions of the journal's thread. Rows travel as one text (`rows-text.ts`), which is copied faster than many objects. */
export interface JournalCalls {
  open(setup: JournalSetup): void;
  /** Returns how many values of the batches could not be stored. */
  append(written: Written): number;
  get(run: string): RunSummary | undefined;
  list(query: RunQuery): RunSummary[];
  events(run: string, after: number): RecordedEvent[];
  value(run: string, hash: string): string | undefined;
  tape(run: string): string | undefined;
  remove(run: string): boolean;
  prune(time: number): number;
  reserve(bytes: number): number;
  broken(): readonly { readonly file: string; readonly reason: string }[];
  close(): void;
}

/** A batch of rows, values and events. */
export interface Written {
  readonly rows: string;
  readonly packs: readonly Pack[];
  readonly batches: readonly EventBatch[];
}
