import type { Cell } from '#engine';
import type { Rows } from '../protocol.ts';
import { tooLarge } from './whole.ts';

/** The most rows that are sent to the server together, and about how many bytes they may have. */
const MAX_TOGETHER = 1000;
const BYTES_TOGETHER = 500_000;
/** About how many bytes a row may have. */
const MAX_ROW = 4_000_000;

/** Groups rows so that the messages to the server are neither many small ones nor a huge one. */
export async function* together(rows: AsyncIterable<readonly Cell[]>): AsyncGenerator<Rows, undefined> {
  let some: (readonly Cell[])[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const size = sizeOf(row);
    if (size > MAX_ROW) throw tooLarge(`A row of the table has more than ${MAX_ROW / 1e6} MB.`);
    some.push(row);
    bytes += size;
    if (some.length < MAX_TOGETHER && bytes < BYTES_TOGETHER) continue;
    yield some;
    some = [];
    bytes = 0;
  }
  if (some.length > 0) yield some;
}

function sizeOf(row: readonly Cell[]): number {
  let bytes = 8 * row.length;
  for (const cell of row) if (typeof cell === 'string') bytes += cell.length;
  return bytes;
}
