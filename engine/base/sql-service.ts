import type { Asker } from './http-service.ts';

/** A statement with its values by name: `:name` in the text, never the value. */
export interface SqlStatement {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Which item of a list the values come from, counted from 1; errors name it. */
  readonly item?: number;
  /** The form of bytes in rows: base64, or `{ "$bytes": base64 }`, which is also their form in values for the statement. */
  readonly bytes?: 'base64' | 'object' | undefined;
}

/** Limits of one statement. */
export interface SqlLimits {
  /** From the call on, including the wait for a connection, in milliseconds. */
  readonly timeoutMs: number;
  /** More rows are an error. */
  readonly maxRows: number;
  /** Bytes that are read from the database. */
  readonly maxBytes: number;
}

/** A row by the names of its columns: JSON, where numbers that would lose digits are texts and bytes are base64. */
export type SqlRow = Record<string, unknown>;

/** The effect of a statement that writes. */
export interface SqlChange {
  /** Rows that were inserted, updated or deleted. */
  readonly count: number;
  /** The rows that the statement returns, such as by `RETURNING id`. */
  readonly rows: SqlRow[];
}

/**
 * Databases, by the name of a connection. All throw `connection_missing`, `connection_not_granted`, `secret_draft`,
 * `connection_broken`, `connection_refused`, `connection_failed`, `connection_busy`, `connection_limited`, `sql_invalid`, `sql_failed`,
 * `sql_timeout`, `sql_conflict`, `value_too_large`. When `signal` aborts, the statement is cancelled at the server.
 */
export interface SqlService {
  /** Reads in a transaction that cannot write. */
  query(
    call: SqlStatement & SqlLimits & { readonly connection: string },
    by: Asker,
    signal: AbortSignal,
  ): Promise<SqlRow[]>;
  /** Reads row by row on demand, with a cursor; `timeoutMs` is for each batch. Stopping early ends it. */
  stream(
    call: SqlStatement & { readonly connection: string; readonly timeoutMs: number },
    by: Asker,
    signal: AbortSignal,
  ): AsyncIterable<SqlRow>;
  /** Several statements are one transaction: all or none. One by itself is as the database handles it. */
  execute(
    call: SqlLimits & { readonly connection: string; readonly statements: readonly SqlStatement[] },
    by: Asker,
    signal: AbortSignal,
  ): Promise<SqlChange[]>;
}
