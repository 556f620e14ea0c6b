import type { SqlTransaction } from './sql.ts';

/** The kind of thing that changed; its id is a part of the documents, the name of a secret, or the id of a flow. */
export type ChangeKind = 'document' | 'secret' | 'flow';

/**
 * Changes that servers on one database have made, in commit order. Anything that keeps rows in memory follows it.
 */
export interface ChangeLog {
  /** Adds a change to the transaction that makes it; returns its number. */
  add(tx: SqlTransaction, kind: ChangeKind, id: string): Promise<number>;
  /**
   * Call it after the transaction: resolves when all live servers have applied the change, or after two seconds. Never
   * rejects, because the change is made.
   */
  spread(seq: number): Promise<void>;
  /** `apply` reads again what other servers changed; `all` if the ids are unknown. */
  follow(kind: ChangeKind, apply: (ids: ReadonlySet<string> | 'all') => Promise<void>): void;
  /** Applies everything that was committed before the call. Rejects with `storage_failed`. */
  catchUp(): Promise<void>;
  /** Runs `work` while no other server runs work of this name, after applying everything committed before. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
}
