import { strFromU8, unzipSync } from 'fflate';
import { type CellValue, type StreamRow, streamXlsxRows, writeXlsxStream } from 'hucre/xlsx';
import type { Cell, RowOptions, SheetOptions } from '#engine';
import { DocumentError, type Piece, type Rows } from '../protocol.ts';
import { checkArchive } from './archive.ts';
import { together } from './together.ts';
import { whole } from './whole.ts';

/** Reads rows of a sheet; the file is held as it is, packed, and the sheet is unpacked row by row. */
export async function* readSheet(
  bytes: AsyncIterable<Uint8Array>,
  options: RowOptions,
): AsyncGenerator<Rows, undefined> {
  const file = await whole(bytes, options.maxBytes);
  await checkArchive(file, 'a workbook of Excel (XLSX)', (part) => part.startsWith('xl/worksheets/'));
  yield* together(cellsOf(sheetOf(file, options.sheet)));
}

async function* cellsOf(rows: AsyncIterable<StreamRow>): AsyncGenerator<Cell[]> {
  for await (const { values } of rows) yield values.map(cellOf);
}

async function* sheetOf(file: Uint8Array, wanted: string | number = 1): AsyncGenerator<StreamRow> {
  try {
    // The library gives no rows for a sheet that is not there.
    const names = sheetNames(file);
    const at = typeof wanted === 'number' ? wanted - 1 : names.indexOf(wanted);
    if (names[at] === undefined) throw new Error(`it has no sheet ${wanted}, only ${names.join(', ')}`);
    yield* streamXlsxRows(file, { sheet: at });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentError({ code: 'document_unreadable', message: `The workbook cannot be read: ${why}` });
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function sheetNames(file: Uint8Array): string[] {
  const { 'xl/workbook.xml': xml } = unzipSync(file, { filter: ({ name }) => name === 'xl/workbook.xml' });
  if (xml === undefined) throw new Error('it has no list of its sheets');
  const found = strFromU8(xml).matchAll(/<(?:\w+:)?sheet\s[^<>]*?\bname="([^"]*)"/g);
  return Array.from(found, ([, name = '']) =>
    name.replaceAll(/&(\w+);/g, (all, entity) => ENTITIES[entity] ?? all),
  );
}

/** Times as ISO 8601: those of a sheet know no zone, and are taken as UTC. */
function cellOf(value: CellValue): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  return typeof value === 'object' ? String(value) : value;
}

/** Writes rows as the only sheet of a workbook, piece by piece. */
export async function* writeSheet(
  rows: AsyncIterable<Rows>,
  { sheet }: SheetOptions,
): AsyncGenerator<Piece, undefined> {
  async function* each() {
    for await (const together of rows) for (const row of together) yield [...row];
  }
  yield* writeXlsxStream(each(), { name: sheet }) as unknown as AsyncIterable<Uint8Array>;
}
