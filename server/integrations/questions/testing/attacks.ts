import type { DatabaseKind } from '#shared/connection.ts';
import { mysqlAttacks } from './attacks-mysql.ts';
import { postgresAttacks } from './attacks-postgres.ts';
import { sqliteAttacks } from './attacks-sqlite.ts';

/** Kinds of statements that do more than read the tables of the question, as an attacker could make a model write them. */
export const attacks: Readonly<Record<DatabaseKind, readonly string[]>> = {
  postgres: postgresAttacks,
  mysql: mysqlAttacks,
  sqlite: sqliteAttacks,
};

/** Texts, quoted names and comments, which variations do not change. */
const WHOLE =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[a-z_]+\]|\$\$[^]*?\$\$|--[^\n]*|#[^\n]*|\/\*[^]*?\*\/|U&"[^"]*"/y;

/** Variations of a statement: in letter case, blanks, comments and quotes, and inside of another statement. */
export function variationsOf(sql: string, kind: DatabaseKind): string[] {
  const same = [
    upper(sql),
    swapped(sql),
    between(sql, '\n\t'),
    between(sql, '\r\n'),
    between(sql, ' /* SELECT 1 */ '),
    between(sql, ` -- it's "only" this; \n`),
    `;${sql}`,
    `${sql};`,
    `/* a */ ${sql} -- b`,
  ];
  if (!/^select/i.test(sql) || /;/.test(sql)) return same;
  const quote = kind === 'mysql' ? '`' : '"';
  return [
    ...same,
    sql.replaceAll(/\b(\w+)\(/g, (call, name: string) =>
      /^(?:cast|coalesce|if|max|min|sum|count|over|filter|in|exists|from|row|values|columns|convert)$/i.test(
        name,
      )
        ? call
        : `${quote}${name}${quote}(`,
    ),
    `SELECT * FROM (${sql}) AS inner_one`,
    `WITH inner_one AS (${sql}) SELECT * FROM inner_one`,
    `SELECT 1 WHERE EXISTS (${sql})`,
    `SELECT (${sql})`,
    `SELECT 1 AS one UNION ALL ${sql}`,
  ];
}

/** The pieces of a statement: words and the text between them. */
function pieces(sql: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < sql.length; ) {
    WHOLE.lastIndex = at;
    const end = WHOLE.test(sql) ? WHOLE.lastIndex : at + 1;
    found.push(sql.slice(at, end));
    at = end;
  }
  return found;
}

function upper(sql: string): string {
  return pieces(sql)
    .map((piece) => (piece.length === 1 ? piece.toUpperCase() : piece))
    .join('');
}

function swapped(sql: string): string {
  return pieces(sql)
    .map((piece, i) => (piece.length > 1 ? piece : i % 2 === 0 ? piece.toUpperCase() : piece.toLowerCase()))
    .join('');
}

function between(sql: string, blank: string): string {
  return pieces(sql)
    .map((piece) => (piece === ' ' ? blank : piece))
    .join('');
}
