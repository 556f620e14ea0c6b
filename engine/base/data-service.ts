import type { Asker } from './http-service.ts';
import type { SqlLimits, SqlRow } from './sql-service.ts';

/** A table or view, as a question needs it. */
export interface DataTable {
  /** Its schema, if it needs one to be found, and its name. */
  readonly parts: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: string; readonly key: boolean }[];
  /** Which column leads to which one of another table. */
  readonly links: readonly { readonly column: string; readonly to: string }[];
}

/** What is known of a database for one question. */
export interface DataScheme {
  /** `PostgreSQL`, `MySQL` or `SQLite`. */
  readonly dialect: string;
  /** The tables that fit the question best, the best first. */
  readonly tables: readonly DataTable[];
  /** How many tables were left out. */
  readonly others: number;
}

/**
 * Databases for statements that nobody has read before they are executed, such as a model's. All throw what `SqlService` throws,
 * `connection_writes` if the user of the connection may change something, and nobody has confirmed that.
 */
export interface DataService {
  scheme(
    asked: { readonly connection: string; readonly question: string; readonly most: number },
    by: Asker,
    signal: AbortSignal,
  ): Promise<DataScheme>;
  /**
   * Executes one statement that reads, within the limits; further rows are left out. Throws `sql_not_allowed` for any other one,
   * before it is sent.
   */
  read(
    asked: SqlLimits & { readonly connection: string; readonly sql: string },
    by: Asker,
    signal: AbortSignal,
  ): Promise<{ readonly rows: SqlRow[]; readonly more: boolean }>;
}
