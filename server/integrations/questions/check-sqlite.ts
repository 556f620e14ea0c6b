import { constants, DatabaseSync } from 'node:sqlite';
import { allowedFunctions } from './functions.ts';
import type { CatalogTable } from './read-tables.ts';
import { notAllowed, noStatement } from './refusals.ts';

const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE } = constants;

/** Tables that SQLite creates from a JSON value. */
const VALUES = ['json_each', 'json_tree'];

/**
 * SQLite's own parser, with an empty copy of the tables in memory: it reports each action of the statement, and nothing is
 * executed.
 */
export function checkSqlite(sql: string, tables: readonly CatalogTable[]): string {
  if (isBlank(sql)) throw notAllowed('there is none');
  const db = new DatabaseSync(':memory:', { allowExtension: false, enableDoubleQuotedStringLiterals: false });
  const readable = new Set([...tables.map(({ name }) => name.toLowerCase()), ...VALUES]);
  const unread = new Set<string>();
  let why: string | undefined;
  let selects = false;
  try {
    db.exec(tables.map(copyOf).join('\n'));
    db.setAuthorizer((action, first, second) => {
      // A table without a read column, or a query of WITH.
      if (action === SQLITE_READ && second === '') unread.add(first ?? '');
      const refused = refusal(readable, action, first ?? '', second ?? '');
      why ??= refused;
      selects ||= action === SQLITE_SELECT;
      return refused === undefined ? SQLITE_OK : SQLITE_DENY;
    });
    const { sourceSQL } = db.prepare(sql);
    db.setAuthorizer(null);
    const system = [...unread].find((name) => !readable.has(name.toLowerCase()) && exists(db, name));
    if (system !== undefined) throw notAllowed(notReadable(system));
    // The authorizer is not called for VACUUM and similar statements.
    if (!selects) throw notAllowed('it does not only read');
    // SQLite has compiled only the first statement.
    if (!isBlank(sql.slice(sourceSQL.length))) throw notAllowed('there are several');
    return sourceSQL.replace(/;\s*$/, '');
  } catch (error) {
    if (why !== undefined) throw notAllowed(why);
    if ((error as { code?: unknown }).code === 'ERR_SQLITE_ERROR')
      throw noStatement((error as Error).message);
    throw error;
  } finally {
    db.close();
  }
}

function refusal(
  readable: ReadonlySet<string>,
  action: number,
  first: string,
  second: string,
): string | undefined {
  if (action === SQLITE_SELECT || action === SQLITE_RECURSIVE) return undefined;
  if (action === SQLITE_READ)
    return second === '' || readable.has(first.toLowerCase()) ? undefined : notReadable(first);
  if (action !== SQLITE_FUNCTION) return 'it does not only read';
  return allowedFunctions('sqlite').has(second.toLowerCase())
    ? undefined
    : `the function ${second} is not in the list`;
}

function notReadable(name: string): string {
  return `${name} is not one of the tables of the file`;
}

/** Whether a table with this name exists outside of the statement. */
function exists(db: DatabaseSync, name: string): boolean {
  try {
    db.prepare(`SELECT 1 FROM ${quoted(name)}`);
    return true;
  } catch {
    return false;
  }
}

function copyOf({ name: table, columns }: CatalogTable): string {
  const names = columns.map(({ name }) => quoted(name));
  return `CREATE TABLE IF NOT EXISTS ${quoted(table)} (${names.join(', ') || '"_"'});`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Whether the text has only blanks, comments and semicolons. */
function isBlank(text: string): boolean {
  return text.replaceAll(/--[^\n]*|\/\*.*?(?:\*\/|$)|[\s;]/gs, '') === '';
}
