import type { DatabaseKind } from '#shared/connection.ts';
import type { CatalogTable } from './read-tables.ts';
import { notAllowed } from './refusals.ts';

/** The longest statement that is read; a statement that answers a question is shorter. */
const MAX_LENGTH = 20_000;

/** The most nested parentheses and comments, above which parsers are slow; a statement that answers a question has few. */
const MAX_NESTED = 100;

/**
 * The first wall: the grammar of the database parses the statement, and only known harmless parts pass: one statement that reads,
 * from tables that do not belong to the system, with functions of the list. Returns the statement without trailing text. Throws
 * `sql_not_allowed`, and `sql_failed` for a text that is no statement.
 */
export async function checkStatement(
  kind: DatabaseKind,
  sql: string,
  tables: readonly CatalogTable[],
): Promise<string> {
  if (sql.length > MAX_LENGTH) throw notAllowed(`it has more than ${MAX_LENGTH} characters`);
  if (sql.includes('\0')) throw notAllowed('it contains a NUL character');
  if (isKnotted(sql)) throw notAllowed(`it has more than ${MAX_NESTED} levels of parentheses, or comments`);
  switch (kind) {
    case 'postgres':
      return (await import('./check-postgres.ts')).checkPostgres(sql, tables);
    case 'mysql':
      return (await import('./check-mysql.ts')).checkMysql(sql, tables);
    case 'sqlite':
      return (await import('./check-sqlite.ts')).checkSqlite(sql, tables);
  }
}

/** Counts in texts and names too: a statement that answers a question has few there as well. */
function isKnotted(sql: string): boolean {
  let level = 0;
  let comments = 0;
  for (let at = 0; at < sql.length && level <= MAX_NESTED && comments <= MAX_NESTED; at++) {
    const sign = sql[at];
    if (sign === '(') level += 1;
    else if (sign === ')') level = Math.max(0, level - 1);
    else if (sign === '/' && sql[at + 1] === '*') comments += 1;
  }
  return level > MAX_NESTED || comments > MAX_NESTED;
}
