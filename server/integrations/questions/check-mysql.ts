import { piecesOf } from '../connections/placeholders.ts';
import { allowedFunctions } from './functions.ts';
import { type Refusal, readMysql } from './mysql-thread.ts';
import type { CatalogTable } from './read-tables.ts';
import { notAllowed, noStatement } from './refusals.ts';

/**
 * MySQL and MariaDB, with a grammar of their language. The server receives the statement without its comments, so both read the
 * same text.
 */
export async function checkMysql(sql: string, tables: readonly CatalogTable[]): Promise<string> {
  // In some modes of the server, backslashes change the end of texts.
  if (sql.includes('\\')) throw notAllowed('backslashes are not allowed');
  const plain = withoutComments(sql);
  const names = tables.map(({ schema, name }) => ({ schema, name }));
  const refusal: Refusal | undefined = await readMysql({ sql: plain, tables: names });
  if (refusal === undefined) return plain;
  throw refusal.isRead ? notAllowed(refusal.why) : noStatement(refusal.why);
}

function withoutComments(sql: string): string {
  const kept: string[] = [];
  for (const piece of piecesOf(sql, 'mysql')) {
    if (/^\/\*(?:M?!|\+)/i.test(piece)) throw notAllowed('comments that the server executes are not allowed');
    const isBlank = /^(?:#|--|\/\*|\s)/.test(piece);
    // For the server, two dashes begin a comment only before a blank: it would execute text that a grammar skips.
    if (piece === '-' && kept.at(-1) === '-') throw notAllowed('two dashes need a blank between them');
    if (piece === '(' && kept.at(-1) === ' ' && isFunction(kept.at(-2))) kept.pop();
    if (!isBlank) kept.push(piece);
    else if (kept.at(-1) !== ' ') kept.push(' ');
  }
  return kept.join('').trim();
}

/** Before a blank and parentheses, the name of a built-in function calls a function of the database with this name. */
function isFunction(word: string | undefined): boolean {
  return word !== undefined && allowedFunctions('mysql').has(word.toLowerCase());
}
