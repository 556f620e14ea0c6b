import { z } from 'zod';
import { charsetOf } from '#shared/text-encoding.ts';
import { type Call, output, toText, WeftError } from '../base/operator.ts';
import type { Cell, RowOptions } from '../base/document-service.ts';
import { FORBIDDEN_FIELD } from './_record.ts';
import { forEachItem, PipedStream } from './_streams.ts';

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const row = z.union([z.record(z.string(), cell), z.array(cell)]);

/** The common part of operators that read a table. */
export const readParams = {
  header: z.boolean().default(true).describe('Whether the first row names the columns.'),
  firstRow: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(1)
    .describe('The row with which the table begins, counted from 1; titles and notes above it are not read.'),
  result: z
    .enum(['rows', 'stream'])
    .default('rows')
    .describe('rows: a list of all rows. stream: row by row, for tables of any length.'),
  maxRows: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100_000)
    .describe('With `rows`: more rows than this are an error.'),
};

export const readOutputs = {
  rows: output({
    doc: 'The rows: objects with the names of the columns as fields, or lists without a header.',
    schema: z.array(row),
    when: { param: 'result', is: ['rows'] },
  }),
  stream: output({
    doc: 'The rows, one by one.',
    kind: 'stream',
    schema: row,
    when: { param: 'result', is: ['stream'] },
  }),
};

interface Wanted {
  readonly header: boolean;
  readonly result: 'rows' | 'stream';
  readonly maxRows: number;
}

/** How cells become values, and what a row with too few or too many fields is. */
export interface RowRules {
  readonly convert?: (cell: Cell) => Cell;
  /** Whether a row with fewer fields than the header is an error; otherwise they are null. */
  readonly mayBeShort: boolean;
  /** Whether a row may have more fields than the header: they are called `column_7` or the like. */
  readonly mayBeLong: boolean;
}

type Row = Record<string, Cell> | Cell[];

/** Reads the table of a file, as a list or a stream of rows. */
export async function readTable(call: Call<Wanted>, options: RowOptions, rules: RowRules) {
  const { header, result, maxRows } = call.params;
  const { file, content } = await call.service('files').open(call.input, call.asker);
  const asked = options.format === 'csv' ? { ...options, charset: charsetOf(file.type) } : options;
  const together = call.service('documents').rows(content, asked, call.signal);
  const toRow = header ? recordMaker(rules) : listMaker(rules);
  const take = (cells: unknown, emit: (row: Row) => void): void => {
    for (const each of cells as readonly (readonly Cell[])[]) {
      const made = toRow(each);
      if (made !== undefined) emit(made);
    }
  };
  if (result === 'stream') return { stream: new PipedStream(together, { take }) };
  const rows: Row[] = [];
  await forEachItem(together, call.signal, (cells) =>
    take(cells, (made) => {
      if (rows.length === maxRows) throw tooMany(maxRows);
      rows.push(made);
    }),
  );
  return { rows };
}

function listMaker({ convert = same }: RowRules): (cells: readonly Cell[]) => Cell[] {
  return (cells) => cells.map(convert);
}

/** Reads the names from the first row, and returns nothing for it. */
function recordMaker(rules: RowRules): (cells: readonly Cell[]) => Row | undefined {
  const { convert = same, mayBeShort, mayBeLong } = rules;
  let names: readonly string[] | undefined;
  let number = 0;
  return (cells) => {
    if (names === undefined) {
      names = namesIn(cells);
      return undefined;
    }
    number++;
    const isLong = cells.length > names.length && hasMore(cells, names.length);
    if ((isLong && !mayBeLong) || (!mayBeShort && cells.length < names.length))
      throw unevenRow(number, cells.length, names.length);
    const record: Record<string, Cell> = {};
    for (let i = 0; i < names.length; i++) record[names[i] as string] = convert(cells[i] ?? null);
    if (isLong) addFurther(record, cells.map(convert), names.length);
    return record;
  };
}

function same(value: Cell): Cell {
  return value;
}

/** Fields beyond the last named column, by the numbers of their columns. */
function addFurther(record: Record<string, Cell>, cells: readonly Cell[], width: number): void {
  for (let i = width; i < cells.length; i++) {
    const value = cells[i] ?? null;
    if (value === null || value === '') continue;
    const name = `column_${i + 1}`;
    if (Object.hasOwn(record, name)) throw twoColumns(name);
    record[name] = value;
  }
}

/** Empty cells beyond the last column are no fields. */
function hasMore(cells: readonly Cell[], width: number): boolean {
  return cells.slice(width).some((value) => value !== null && value !== '');
}

function namesIn(cells: readonly Cell[]): readonly string[] {
  const seen = new Set<string>();
  return cells.map((value, i) => {
    const name = value === null ? '' : toText(value).trim();
    const unique = name === '' ? `column_${i + 1}` : name;
    if (seen.has(unique)) throw twoColumns(unique);
    if (unique === FORBIDDEN_FIELD) throw new WeftError('bad_input', `No column may be called ${unique}.`);
    seen.add(unique);
    return unique;
  });
}

function twoColumns(name: string): WeftError {
  const message = `Two columns are called ${JSON.stringify(name)}; read it without \`header\`.`;
  return new WeftError('bad_input', message);
}

function unevenRow(number: number, fields: number, names: number): WeftError {
  const message = `Row ${number} has ${fields} fields, but the first line names ${names}; \`strict\` decides whether that is an error, \`firstRow\` where the table begins.`;
  return new WeftError('bad_input', message, { data: { row: number } });
}

function tooMany(maxRows: number): WeftError {
  return new WeftError(
    'too_many_items',
    `The table has more than ${maxRows} rows; raise \`maxRows\`, or read it as a stream.`,
  );
}
