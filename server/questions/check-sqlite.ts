import { constants, DatabaseSync } from 'node:sqlite';
import type { DataTable } from '#engine';
import { allowedFunctions } from './functions.ts';
import { notAllowed, noStatement } from './refusals.ts';

const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE } = constants;

/**
 * SQLite's own parser, over an empty copy of the tables in memory: it tells each thing that the statement would do, and nothing
 * is executed.
 */
export function checkSqlite(sql: string, tables: readonly Pick<DataTable, 'parts' | 'columns'>[]): string {
  if (isBlank(sql)) throw notAllowed('there is none');
  const db = new DatabaseSync(':memory:', { allowExtension: false, enableDoubleQuotedStringLiterals: false });
  let why: string | undefined;
  let selects = false;
  try {
    db.exec(tables.map(copyOf).join('\n'));
    db.setAuthorizer((action, first, second) => {
      const refused = refusal(action, first ?? '', second ?? '');
      why ??= refused;
      selects ||= action === SQLITE_SELECT;
      return refused === undefined ? SQLITE_OK : SQLITE_DENY;
    });
    const { sourceSQL } = db.prepare(sql);
    // VACUUM and its like are not asked about.
    if (!selects) throw notAllowed('it does not only read');
    // What it has compiled is the first statement alone.
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

function refusal(action: number, first: string, second: string): string | undefined {
  if (action === SQLITE_SELECT || action === SQLITE_RECURSIVE) return undefined;
  if (action === SQLITE_READ)
    return /^(?:sqlite_|pragma_)/i.test(first) ? `${first} belongs to the system` : undefined;
  if (action !== SQLITE_FUNCTION) return 'it does not only read';
  return allowedFunctions('sqlite').has(second.toLowerCase())
    ? undefined
    : `the function ${second} is not in the list`;
}

function copyOf({ parts, columns }: Pick<DataTable, 'parts' | 'columns'>): string {
  const names = columns.map(({ name }) => quoted(name));
  return `CREATE TABLE IF NOT EXISTS ${quoted(parts.at(-1) ?? '')} (${names.join(', ') || '"_"'});`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Only blanks, comments and semicolons. */
function isBlank(text: string): boolean {
  return text.replaceAll(/--[^\n]*|\/\*.*?(?:\*\/|$)|[\s;]/gs, '') === '';
}
