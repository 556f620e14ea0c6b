import { CsvFault, CsvReader, likelyDelimiter, namedDelimiter } from '#shared/csv-rows.ts';
import type { CsvOptions } from '#engine';
import { DocumentError, type Rows } from '../protocol.ts';
import { decoded } from './decoded.ts';
import { together } from './together.ts';

/** The longest row, in characters: an unclosed quote must not collect the rest of a large file. */
const MAX_ROW = 1_000_000;
/** The most characters of the lines above the table. */
const MAX_START = 65_536;

/** Reads rows of a CSV (RFC 4180) chunk by chunk; empty lines are no rows. */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  options: CsvOptions,
): AsyncGenerator<Rows, undefined> {
  yield* together(rowsOf(bytes, options));
}

async function* rowsOf(bytes: AsyncIterable<Uint8Array>, options: CsvOptions): AsyncGenerator<string[]> {
  const text = decoded(bytes, options);
  const start = await startOf(text, options);
  const { quote = '"', escape, relaxed, trim, comment, firstRow = 1 } = options;
  const reader = new CsvReader({
    delimiter: options.delimiter ?? namedDelimiter(start) ?? likelyDelimiter(headerIn(start, options)),
    quote: quote === 'none' ? '' : quote,
    backslash: escape === 'backslash',
    relaxed: relaxed === true,
    trim: trim === true,
    comment,
    firstRow,
    maxRow: MAX_ROW,
  });
  try {
    yield* reader.rows(start);
    for await (const piece of text) yield* reader.rows(piece);
    yield* reader.rows('', true);
  } catch (error) {
    throw error instanceof CsvFault ? faultOf(error) : error;
  }
}

/** The lines up to the first one of the table, or enough of that line to detect the delimiter. */
async function startOf(text: AsyncIterator<string>, options: CsvOptions): Promise<string> {
  let start = '';
  while (start.length < MAX_START && headerIn(start, options, true) === undefined) {
    const { done, value } = await text.next();
    if (done) break;
    start += value;
  }
  return start;
}

/** The first line of the table; with `isWhole` only if the line is complete. */
function headerIn(text: string, { comment, firstRow = 1 }: CsvOptions, isWhole = false): string | undefined {
  const lines = text.split(LINE_END);
  if (isWhole) lines.pop();
  const isRow = (line: string): boolean =>
    line !== '' && namedDelimiter(line) === undefined && (comment === undefined || !line.startsWith(comment));
  return lines.slice(firstRow - 1).find(isRow);
}

const LINE_END = /\r\n|\n|\r/;

function faultOf({ line, why }: CsvFault): DocumentError {
  return new DocumentError({
    code: 'document_unreadable',
    message: `The file is not valid CSV: about line ${line}, ${why}. If the file has other quotes, describe them with \`quote\`, \`escape\`, \`trim\` or \`relaxed\`.`,
    data: { line },
  });
}
