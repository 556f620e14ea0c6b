import { toText, WeftError } from '../base/operator.ts';
import { checkCount } from './_list.ts';

/**
 * The rows of a CSV text (RFC 4180): fields between delimiters, in quotes if they contain a delimiter, a quote (written
 * twice) or a line break; lines end with LF, CRLF or CR. An empty line is not a row.
 * @throws WeftError `bad_input` with the line where a quote is not closed or not followed by a delimiter.
 */
export function* readRows(text: string, delimiter: string): Generator<undefined, string[][], undefined> {
  const rows: string[][] = [];
  const at: Cursor = { text, delimiter, place: text.startsWith('\ufeff') ? 1 : 0, line: 1 };
  while (at.place < text.length) {
    const row = readRow(at);
    if (row.length > 1 || row[0] !== '' || at.quoted) rows.push(row);
    if (rows.length % ROWS_A_STEP !== 0) continue;
    checkCount(rows.length);
    yield;
  }
  checkCount(rows.length);
  return rows;
}

const ROWS_A_STEP = 100;

interface Cursor {
  readonly text: string;
  readonly delimiter: string;
  place: number;
  line: number;
  /** The last field that was read was quoted. */
  quoted?: boolean;
}

/** Reads a line with its line end. */
function readRow(at: Cursor): string[] {
  const row: string[] = [];
  for (;;) {
    row.push(at.text[at.place] === '"' ? readQuoted(at) : readPlain(at));
    if (at.text[at.place] !== at.delimiter) break;
    at.place++;
  }
  if (at.text[at.place] === '\r') at.place++;
  if (at.text[at.place] === '\n') at.place++;
  at.line++;
  return row;
}

function readPlain(at: Cursor): string {
  const start = at.place;
  const { text, delimiter } = at;
  while (at.place < text.length && !endsField(text[at.place] as string, delimiter)) at.place++;
  at.quoted = false;
  return text.slice(start, at.place);
}

function readQuoted(at: Cursor): string {
  const { text, delimiter, line } = at;
  const parts: string[] = [];
  let from = at.place + 1;
  for (;;) {
    const end = text.indexOf('"', from);
    if (end === -1) throw badCsv(line, 'a quote is opened but not closed');
    parts.push(text.slice(from, end));
    at.place = end + 1;
    from = end + 2;
    if (text[at.place] !== '"') break;
  }
  const field = parts.join('"');
  at.line += linesIn(field);
  at.quoted = true;
  const next = text[at.place];
  if (next !== undefined && !endsField(next, delimiter))
    throw badCsv(at.line, 'a closing quote is followed by neither a delimiter nor the end of the line');
  return field;
}

function endsField(char: string, delimiter: string): boolean {
  return char === delimiter || char === '\n' || char === '\r';
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function badCsv(line: number, why: string): WeftError {
  return new WeftError('bad_input', `The text is not valid CSV: in line ${line} ${why}.`, { data: { line } });
}

/** A field as it is written, in quotes if necessary. */
export function writeField(text: string, delimiter: string): string {
  const needsQuotes =
    text.includes(delimiter) || /["\r\n]/.test(text) || text.startsWith(' ') || text.endsWith(' ');
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A value as a field. `safe`: a text that a spreadsheet would take for a formula gets a quote in front. */
export function fieldText(value: unknown, safe: boolean): string {
  const text = toText(value);
  return safe && typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}
