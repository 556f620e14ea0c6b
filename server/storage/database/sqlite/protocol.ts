import type { ThreadFailure } from '../../../base/adapters/asked-thread.ts';
import type { SqlStatement, SqlValue } from '../sql.ts';

/** The options of the writer thread. */
export interface WriterSetup {
  readonly file: string;
}

export interface WriterCalls {
  /** The requests of one turn of the event loop, answered in order: a message costs more than most writes. */
  all(requests: readonly WriterRequest[]): WriterReply[];
  close(): void;
}

/**
 * `batch`: in one transaction. `begin` opens one that stays open for `read` and `write` until `end`. A request that
 * fails within an open transaction leaves it open; only `end` closes it.
 */
export type WriterRequest =
  | { readonly op: 'batch'; readonly statements: readonly SqlStatement[]; readonly synced: boolean }
  | { readonly op: 'begin'; readonly synced: boolean }
  | { readonly op: 'read' | 'write'; readonly statement: SqlStatement }
  | { readonly op: 'end'; readonly commit: boolean };

export type WriterReply =
  | { readonly value: readonly number[] | readonly Readonly<Record<string, SqlValue>>[] | null }
  | { readonly error: ThreadFailure };
