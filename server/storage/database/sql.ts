/** A value in a row or a statement. Booleans are stored as 0 and 1, times as Unix milliseconds, objects as JSON. */
export type SqlValue = string | number | null | Uint8Array;

/** A statement with its values, in the order of its question marks. */
export type SqlStatement = readonly [text: string, ...values: SqlValue[]];

/** Reads and writes within one transaction; see `Sql` for the language. */
export interface SqlTransaction {
  all<Row extends object>(text: string, ...values: SqlValue[]): Promise<Row[]>;
  first<Row extends object>(text: string, ...values: SqlValue[]): Promise<Row | undefined>;
  /** Returns the number of rows that it inserted, updated or deleted. */
  run(text: string, ...values: SqlValue[]): Promise<number>;
}

/**
 * A database of rows. `sql.test.ts` tests every implementation.
 *
 * Statements are written once, in the language that SQLite and PostgreSQL share: `?` for a value, no `?` in a literal,
 * `ON CONFLICT (columns)` instead of `OR REPLACE`, `CAST(? AS TEXT) IS NULL` where nothing else fixes the type of a
 * value, a quoted name where PostgreSQL reserves it or it has capital letters, `json_each(?)` for many rows in the text of
 * one JSON object (`"key"`, and `value` to be read with `->`), with less work for this process than many values.
 *
 * SQL1. A write has survived the end of the process when its promise resolves; a `synced` one a power cut too.
 * SQL2. A read or write sees every write that resolved before its call.
 * SQL3. A transaction takes effect as a whole or not at all, and as if no other one ran beside it.
 * SQL4. Waiting for the disk or for another writer never blocks the event loop.
 * SQL5. A refusal of the disk or the database server rejects with `storage_failed`.
 */
export interface Sql {
  /** Reads. A statement that writes is refused: use `run`, `batch` or `transaction`. */
  all<Row extends object>(text: string, ...values: SqlValue[]): Promise<Row[]>;
  /** The first row, or undefined. */
  first<Row extends object>(text: string, ...values: SqlValue[]): Promise<Row | undefined>;
  /** Writes; returns the number of rows that it inserted, updated or deleted. */
  run(text: string, ...values: SqlValue[]): Promise<number>;
  /** Writes in one transaction, sent at once; returns the number of rows that each changed. */
  batch(statements: readonly SqlStatement[], options?: TransactionOptions): Promise<number[]>;
  /**
   * Runs `work` in a transaction. It may run again if another process wrote the same rows, so it must only read and write
   * through `tx`, and wait for nothing else.
   */
  transaction<T>(work: (tx: SqlTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Waits for the writes under way. */
  close(): Promise<void>;
}

/** Options of a transaction. */
export interface TransactionOptions {
  /** Survives a power cut once it has resolved. */
  readonly synced?: boolean;
}

/** The project whose rows a store reads and writes. There is one so far; its name is in every key. */
export const DEFAULT_PROJECT = 'default';
