import { WeftError } from '#engine';
import { type Dialect, piecesOf } from './placeholders.ts';

/** First words of statements that read. SQLite itself reports what a statement does. */
const WORDS: Readonly<Record<Exclude<Dialect, 'sqlite'>, readonly string[]>> = {
  postgres: ['select', 'with', 'table', 'values', 'show', 'explain'],
  mysql: ['select', 'with', 'table', 'values', 'show', 'describe', 'desc', 'explain'],
};

const FILES: ReadonlySet<string> = new Set(['outfile', 'dumpfile']);
/** Comments whose content the server executes. */
const EXECUTED = /^\/\*M?!/i;

/**
 * Refuses statements that do not read: the transaction around a read protects the data, but other statements could end it or
 * write files. Throws `sql_failed`.
 */
export function checkRead(sql: string, dialect: Exclude<Dialect, 'sqlite'>): void {
  let before = '';
  for (const piece of piecesOf(sql, dialect)) {
    checkComment(piece, dialect);
    if (isBlank(piece, dialect) || (piece === '(' && before === '')) continue;
    const word = piece.toLowerCase();
    const isWrong = before === '' ? !WORDS[dialect].includes(word) : before === 'into' && FILES.has(word);
    if (isWrong) throw notRead(dialect);
    before = word;
  }
  if (before === '') throw notRead(dialect);
}

/** Refuses a COPY over the connection: its bytes are no rows, so the driver could not detect its end. Throws `sql_failed`. */
export function checkCopy(sql: string): void {
  if (!/\bcopy\b/i.test(sql)) return;
  const words = [...piecesOf(sql, 'postgres')]
    .filter((piece) => !isBlank(piece, 'postgres'))
    .map((piece) => piece.toLowerCase());
  if (words[0] !== 'copy' || !words.some((word) => word === 'stdin' || word === 'stdout')) return;
  throw new WeftError(
    'sql_failed',
    'COPY … FROM STDIN and COPY … TO STDOUT are not possible here: read rows with sql.query or sql.stream, and write many with `each` of sql.execute.',
  );
}

function checkComment(piece: string, dialect: Dialect): void {
  if (dialect !== 'mysql' || !EXECUTED.test(piece)) return;
  throw new WeftError(
    'sql_failed',
    'Comments that the server executes (/*! … */) are not possible in a statement that reads.',
  );
}

function isBlank(piece: string, dialect: Dialect): boolean {
  return /^(?:\s|--|\/\*)/.test(piece) || (dialect === 'mysql' && piece.startsWith('#'));
}

function notRead(dialect: Exclude<Dialect, 'sqlite'>): WeftError {
  const words = WORDS[dialect].map((word) => word.toUpperCase()).join(', ');
  return new WeftError(
    'sql_failed',
    `Only statements that read are possible here (${words}). Use sql.execute for statements that change data.`,
  );
}
