import { CsvFault, CsvReader, namedDelimiter } from '#shared/csv-rows.ts';
import { toText, WeftError } from '../base/operator.ts';
import { checkCount } from './_list.ts';

/**
 * The rows of a CSV text; its own line `sep=;` overrides `delimiter`.
 * @throws WeftError `bad_input` with the line where a quote is not closed or not followed by a delimiter.
 */
export function* readRows(text: string, delimiter: string): Generator<undefined, string[][], undefined> {
  const rows: string[][] = [];
  const reader = new CsvReader({ delimiter: namedDelimiter(text) ?? delimiter });
  try {
    for (const row of reader.rows(text, true)) {
      rows.push(row);
      if (rows.length % ROWS_A_STEP !== 0) continue;
      checkCount(rows.length);
      yield;
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    const { line, why } = error;
    throw new WeftError('bad_input', `The text is not valid CSV: in line ${line} ${why}.`, {
      data: { line },
    });
  }
  checkCount(rows.length);
  return rows;
}

const ROWS_A_STEP = 100;

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
