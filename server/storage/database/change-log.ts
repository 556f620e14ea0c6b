import type { SqlTransaction } from './sql.ts';

/** What a change is about; its id is a part of the documents, the name of a secret, or the id of a flow. */
export type ChangeKind = 'document' | 'secret' | 'flow';

/**
 * What servers on one database have changed, in the order of their commits. Whoever keeps rows in memory follows it.
 */
export interface ChangeLog {
  /** Adds a change to the transaction that makes it; returns its number. */
  add(tx: SqlTransaction, kind: ChangeKind, id: string): Promise<number>;
  /**
   * To be called after the transaction: resolves when all live servers have applied the change, or after two seconds. Never
   * rejects, because the change is made.
   */
  spread(seq: number): Promise<void>;
  /** `apply` reads again what other servers have changed; `all` if it is not known what. */
  follow(kind: ChangeKind, apply: (ids: ReadonlySet<string> | 'all') => Promise<void>): void;
  /** Applies everything that was committed before the call. Rejects with `storage_failed`. */
  catchUp(): Promise<void>;
  /** Runs `work` while no other server runs one of this name, with everything applied that was committed before. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
}
