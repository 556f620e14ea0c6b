import type { ThreadFailure } from '../../../base/adapters/asked-thread.ts';
import type { SqlStatement, SqlValue } from '../sql.ts';

/** The options of a thread. */
export interface SqliteSetup {
  readonly file: string;
  /** One thread of a file writes. */
  readonly writes: boolean;
}

/** Requests to the thread of SQLite. */
export interface SqliteCalls {
  open(setup: SqliteSetup): void;
  /** The requests of one turn of the event loop, answered in order: a message costs more than most writes. */
  all(requests: readonly SqliteRequest[]): SqliteReply[];
  close(): void;
}

/**
 * `batch`: in one transaction. `begin` opens one that stays open for `read` and `write` until `end`; a `read` without one
 * sees what is committed. A request that fails within an open transaction leaves it open; only `end` closes it.
 */
export type SqliteRequest =
  | { readonly op: 'batch'; readonly statements: readonly SqlStatement[]; readonly synced: boolean }
  | { readonly op: 'begin'; readonly synced: boolean }
  | { readonly op: 'read' | 'write'; readonly statement: SqlStatement }
  | { readonly op: 'end'; readonly commit: boolean };

export type SqliteReply =
  | { readonly value: readonly number[] | readonly Readonly<Record<string, SqlValue>>[] | null }
  | { readonly error: ThreadFailure };
