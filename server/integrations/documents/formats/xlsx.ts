import { strFromU8, unzipSync } from 'fflate';
import { type CellValue, type StreamRow, streamXlsxRows, writeXlsxStream } from 'hucre/xlsx';
import type { Cell, SheetOptions, WorkbookOptions } from '#engine';
import { DocumentError, type Piece, type Rows } from '../protocol.ts';
import { checkArchive } from './archive.ts';
import { withoutReferences } from './references.ts';
import { clockText, dayZeroOf, timeOf, withPlainDurations } from './sheet-times.ts';
import { together } from './together.ts';
import { whole } from './whole.ts';

/** Reads rows of a sheet; memory holds the compressed file, and the sheet is unpacked row by row. */
export async function* readSheet(
  bytes: AsyncIterable<Uint8Array>,
  options: WorkbookOptions,
): AsyncGenerator<Rows, undefined> {
  yield* together(rowsOf(await workbookIn(bytes, options.maxBytes), options));
}

/** The names of the sheets in their order. */
export async function readSheetNames(
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes }: { readonly maxBytes: number },
): Promise<readonly string[]> {
  const file = await workbookIn(bytes, maxBytes);
  try {
    return workbookOf(file).names;
  } catch (error) {
    throw unreadable(error);
  }
}

async function workbookIn(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const file = await whole(bytes, maxBytes);
  await checkArchive(file, 'a workbook of Excel (XLSX)', (part) => part.startsWith('xl/worksheets/'));
  return file;
}

/** The rows that have a value in the requested part of the sheet. */
async function* rowsOf(
  file: Uint8Array,
  { sheet, range, firstRow = 1 }: WorkbookOptions,
): AsyncGenerator<Cell[]> {
  const { top, bottom, left, right } = areaOf(range);
  for await (const { index, cells } of cellsOf(file, sheet)) {
    if (index + 1 < Math.max(top, firstRow)) continue;
    if (index + 1 > bottom) return;
    const row = range === undefined ? cells : cells.slice(left - 1, right);
    // A row with only a format is skipped.
    if (row.some((cell) => cell !== null)) yield row;
  }
}

interface Area {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** `B2:F40`, whole columns `B:F` or whole rows `2:40`. */
function areaOf(range = ''): Area {
  const [, left, top, right, bottom] = /^([A-Z]*)(\d*):([A-Z]*)(\d*)$/i.exec(range) ?? [];
  return {
    top: Number(top) || 1,
    bottom: Number(bottom) || Number.POSITIVE_INFINITY,
    left: columnOf(left) || 1,
    right: columnOf(right) || Number.POSITIVE_INFINITY,
  };
}

/** The number of a column, counted from 1; 0 without one. */
function columnOf(letters = ''): number {
  let number = 0;
  for (const letter of letters.toUpperCase()) number = 26 * number + letter.charCodeAt(0) - 64;
  return number;
}

interface SheetRow {
  readonly index: number;
  readonly cells: Cell[];
}

async function* cellsOf(file: Uint8Array, wanted: string | number = 1): AsyncGenerator<SheetRow> {
  try {
    const { names, is1904 } = workbookOf(file);
    // The library returns no rows for a missing sheet.
    const sheet = typeof wanted === 'number' ? wanted - 1 : names.indexOf(wanted);
    if (names[sheet] === undefined) throw new Error(`it has no sheet ${wanted}, only ${names.join(', ')}`);
    const plain = withPlainDurations(file);
    const durations = plain && streamXlsxRows(plain, { sheet });
    const dayZero = dayZeroOf(is1904);
    for await (const { index, values } of streamXlsxRows(file, { sheet })) {
      const days = await valuesOf(durations);
      yield { index, cells: values.map((value, at) => cellOf(value, dayZero, days?.[at])) };
    }
  } catch (error) {
    throw unreadable(error);
  }
}

/** The same row with durations as numbers, from the second reader. */
async function valuesOf(
  rows: AsyncGenerator<StreamRow> | undefined,
): Promise<readonly CellValue[] | undefined> {
  const next = await rows?.next();
  return next?.done === false ? next.value.values : undefined;
}

function unreadable(error: unknown): DocumentError {
  const why = error instanceof Error ? error.message : String(error);
  return new DocumentError({ code: 'document_unreadable', message: `The workbook cannot be read: ${why}` });
}

interface Workbook {
  /** The names of its sheets. */
  readonly names: readonly string[];
  /** Whether its days are counted from 1904. */
  readonly is1904: boolean;
}

function workbookOf(file: Uint8Array): Workbook {
  const { 'xl/workbook.xml': xml } = unzipSync(file, { filter: ({ name }) => name === 'xl/workbook.xml' });
  if (xml === undefined) throw new Error('it has no list of its sheets');
  const text = strFromU8(xml);
  const found = text.matchAll(/<(?:\w+:)?sheet\s[^<>]*?\bname=(["'])(.*?)\1/g);
  return {
    names: Array.from(found, ([, , name = '']) => withoutReferences(name)),
    is1904: /<(?:\w+:)?workbookPr\s[^<>]*?\bdate1904=["'](?:1|true)["']/.test(text),
  };
}

/** `days`: the same cell with durations as numbers; a cell that is a time here and a number there is a duration. */
function cellOf(value: CellValue, dayZero: number, days?: CellValue): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return typeof days === 'number' ? clockText(days) : timeOf(value, dayZero);
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return typeof value === 'object' ? String(value) : value;
}

/** Writes rows as the only sheet of a workbook, chunk by chunk. */
export async function* writeSheet(
  rows: AsyncIterable<Rows>,
  { sheet }: SheetOptions,
): AsyncGenerator<Piece, undefined> {
  async function* each() {
    for await (const together of rows) for (const row of together) yield row.map(written);
  }
  yield* writeXlsxStream(each(), { name: sheet }) as unknown as AsyncIterable<Uint8Array>;
}

/** Escapes a text that looks like an Excel escape, which would be read as the character that it names. */
function written(cell: Cell): Cell {
  return typeof cell === 'string' ? cell.replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_') : cell;
}
