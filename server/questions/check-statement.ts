import type { DatabaseKind } from '#shared/connection.ts';
import type { CatalogTable } from './read-tables.ts';
import { notAllowed } from './refusals.ts';

/** Longest statement that is read; what answers a question is shorter. */
const MAX_LENGTH = 20_000;

/**
 * The first wall: the database's own grammar says what a statement is, and only what is known to be harmless passes. One
 * statement that reads, from tables that are not the system's, with functions of the list. Returns the statement without what
 * follows it. Throws `sql_not_allowed`, and `sql_failed` for what is no statement.
 */
export async function checkStatement(
  kind: DatabaseKind,
  sql: string,
  tables: readonly CatalogTable[],
): Promise<string> {
  if (sql.length > MAX_LENGTH) throw notAllowed(`it has more than ${MAX_LENGTH} characters`);
  if (sql.includes('\0')) throw notAllowed('it contains a NUL character');
  switch (kind) {
    case 'postgres':
      return (await import('./check-postgres.ts')).checkPostgres(sql, tables);
    case 'mysql':
      return (await import('./check-mysql.ts')).checkMysql(sql, tables);
    case 'sqlite':
      return (await import('./check-sqlite.ts')).checkSqlite(sql, tables);
  }
}
