import { type CsvError, type Parser, parse } from 'csv-parse';
import type { RowOptions } from '#engine';
import { DocumentError, type Rows } from '../protocol.ts';
import { together } from './together.ts';
import { decoded } from './whole.ts';

/** The longest row, in bytes: a quote that nobody closes must not gather the rest of a large file. */
const MAX_ROW = 1_000_000;

/** Reads rows of a CSV (RFC 4180) piece by piece; empty lines are no rows. */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  options: RowOptions,
): AsyncGenerator<Rows, undefined> {
  const text = decoded(bytes, options.encoding ?? 'auto');
  const start = await startOf(text);
  const parser = parse({
    delimiter: options.delimiter ?? likelyDelimiter(start),
    max_record_size: MAX_ROW,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  const done = feed(parser, start, text);
  try {
    yield* together(parser as AsyncIterable<string[]>);
    await done;
  } catch (error) {
    throw faultIn(error as Partial<CsvError> & Error);
  }
}

/** The first line, or as much of it as the delimiter can be told from. */
async function startOf(text: AsyncIterator<string>): Promise<string> {
  let start = '';
  while (start.length < 65_536 && !/[\r\n]/.test(start)) {
    const { done, value } = await text.next();
    if (done) break;
    start += value;
  }
  return start;
}

/** Ends the parser with what its text throws. */
async function feed(parser: Parser, first: string, rest: AsyncIterable<string>): Promise<void> {
  try {
    await write(parser, first);
    for await (const piece of rest) await write(parser, piece);
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  }
}

async function write(parser: Parser, piece: string): Promise<void> {
  if (parser.destroyed || parser.write(piece)) return;
  await new Promise<void>((resolve) => {
    parser.once('drain', resolve);
    parser.once('close', resolve);
  });
}

/** The separator that is most frequent in the first line, outside of quotes. */
function likelyDelimiter(text: string): string {
  const line = text.replaceAll(/"(?:[^"]|"")*"/g, '').split(/\r?\n|\r/, 1)[0] ?? '';
  const candidates = [',', ';', '\t', '|'];
  const counts = candidates.map((candidate) => line.split(candidate).length);
  return candidates[counts.indexOf(Math.max(...counts))] as string;
}

const FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened but not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a closing quote is followed by neither a delimiter nor the end of the line',
  INVALID_OPENING_QUOTE: 'a quote stands within a field that does not begin with one',
  CSV_MAX_RECORD_SIZE: `a row is longer than ${MAX_ROW} bytes; is a quote not closed`,
};

function faultIn(error: Partial<CsvError> & Error): Error {
  const why = FAULTS[error.code ?? ''];
  if (why === undefined) return error;
  const line = Number(error['lines'] ?? 0);
  return new DocumentError({
    code: 'document_unreadable',
    message: `The file is not valid CSV: about line ${line}, ${why}.`,
    data: { line },
  });
}
