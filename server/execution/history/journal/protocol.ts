import type { RunSummary } from '#shared/run-event.ts';
import type { EventBatch, RunQuery } from '../history.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import type { Pack } from './packs.ts';
import type { JournalLimits } from './segments.ts';

/** The messages between the server's thread and the journal's. */

export interface JournalSetup {
  readonly folder: string;
  /** Folder of the large values. */
  readonly blobs: string;
  readonly limits: JournalLimits;
}

/** Each call with its result. Rows travel as one text (`rows-text.ts`), which is copied faster than many objects. */
export interface JournalCalls {
  append: {
    in: { rows: string; packs: readonly Pack[]; batches: readonly EventBatch[] };
    out: { lost: number };
  };
  get: { in: string; out: RunSummary | undefined };
  list: { in: RunQuery; out: RunSummary[] };
  events: { in: { run: string; after: number }; out: RecordedEvent[] };
  value: { in: { run: string; hash: string }; out: string | undefined };
  tape: { in: string; out: string | undefined };
  remove: { in: string; out: boolean };
  prune: { in: number; out: number };
  reserve: { in: number; out: number };
  broken: { in: null; out: readonly { file: string; reason: string }[] };
  close: { in: null; out: null };
}

export type JournalOp = keyof JournalCalls;

export interface JournalRequest<Op extends JournalOp = JournalOp> {
  readonly id: number;
  readonly op: Op;
  readonly input: JournalCalls[Op]['in'];
}

export type JournalReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };
