import type { SqlStatement, SqlValue } from '../sql.ts';

/** The options of the writer thread. */
export interface WriterSetup {
  readonly file: string;
}

/**
 * `batch`: in one transaction. `begin` opens one that stays open for `read` and `write` until `end`. A request that
 * fails within an open transaction leaves it open; only `end` closes it.
 */
export type WriterRequest = { readonly id: number } & (
  | { readonly op: 'batch'; readonly statements: readonly SqlStatement[]; readonly synced: boolean }
  | { readonly op: 'begin'; readonly synced: boolean }
  | { readonly op: 'read' | 'write'; readonly statement: SqlStatement }
  | { readonly op: 'end'; readonly commit: boolean }
  | { readonly op: 'close' }
);

export type WriterReply = { readonly id: number } & (
  | { readonly value: readonly number[] | readonly Readonly<Record<string, SqlValue>>[] | null }
  | { readonly error: { readonly message: string; readonly refused: boolean } }
);
