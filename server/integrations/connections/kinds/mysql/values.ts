import type { FieldPacket } from 'mysql2';
import type { SqlChange, SqlRow, SqlStatement } from '#engine';
import { parseKeepingDigits } from '#shared/lost-digits.ts';
import { fill } from '../../placeholders.ts';
import { bytesOf, checkColumnNames, databaseText, decimalOf, integerOf } from '../../sql-common.ts';

type Bindable = string | number | Uint8Array | null;

/** A statement in the form of the driver. */
export interface Filled {
  readonly text: string;
  readonly values: readonly Bindable[];
  readonly bytes: SqlStatement['bytes'];
}

export function filled(asked: SqlStatement): Filled {
  const { bound, values } = fill(asked, 'mysql');
  return {
    text: bound.text,
    values: values.map((value, i) => bindable(bound.names[i] as string, value)),
    bytes: asked.bytes,
  };
}

/** Numbers stay numbers: LIMIT accepts no text. */
function bindable(name: string, value: unknown): Bindable {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  return databaseText(name, value);
}

/** Types of columns in the protocol. */
const DECIMALS = new Set([0, 246]);
const FLOAT = 4;
const TIMESTAMP = 7;
const DATETIME = 12;
const BIT = 16;
const JSON_TYPE = 245;
/** Types of texts and bytes; only the character set distinguishes them. */
const STRINGS = new Set([15, 249, 250, 251, 252, 253, 254]);
/** The character set of bytes. */
const BINARY = 63;

type Read = (value: unknown) => unknown;

/** Throws `sql_invalid` for two columns with the same name. */
export function checkNames(fields: readonly FieldPacket[]): void {
  checkColumnNames(fields.map(({ name }) => name));
}

/** Throws like `checkNames`. */
export function reader(
  fields: readonly FieldPacket[],
  bytes: SqlStatement['bytes'],
): (row: SqlRow) => SqlRow {
  checkNames(fields);
  const converted = fields.flatMap((field) => {
    const read = readerOf(field, bytes);
    return read === undefined ? [] : [[field.name, read] as const];
  });
  return (row) => {
    for (const [name, read] of converted) if (row[name] !== null) row[name] = read(row[name]);
    return row;
  };
}

function readerOf(field: FieldPacket, bytes: SqlStatement['bytes']): Read | undefined {
  const { characterSet, extendedFormat } = field as { characterSet?: number; extendedFormat?: string };
  // MariaDB sends JSON as text with a mark.
  const type = extendedFormat === 'json' ? JSON_TYPE : (field.columnType ?? field.type ?? -1);
  if (DECIMALS.has(type)) return (value) => decimalOf(String(value));
  if (type === JSON_TYPE) return (value) => parseKeepingDigits(String(value));
  if (type === FLOAT) return (value) => shortFloat(Number(value));
  if (type === DATETIME) return (value) => String(value).replace(' ', 'T');
  if (type === TIMESTAMP) return (value) => `${String(value).replace(' ', 'T')}Z`;
  if (type === BIT) return (value) => (value instanceof Uint8Array ? bitsOf(value) : value);
  if (STRINGS.has(type) && characterSet !== BINARY) return undefined;
  return (value) => (value instanceof Uint8Array ? bytesOf(value, bytes) : value);
}

/** The shortest decimal with the same 32-bit value, which is how it was written. */
function shortFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function bitsOf(bytes: Uint8Array): number | string {
  return integerOf(BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`).toString());
}

/** The result of a statement: a header, rows, or for a procedure the rows of each of its statements and a header. */
export function changeOf(result: unknown, fields: unknown, bytes: SqlStatement['bytes']): SqlChange {
  if (!Array.isArray(result)) return { count: (result as { affectedRows: number }).affectedRows, rows: [] };
  const isMany = Array.isArray((fields as unknown[] | undefined)?.[0]);
  const [sets, all] = isMany ? [result as unknown[], fields as unknown[]] : [[result], [fields]];
  const rows = sets.flatMap((set, i) =>
    Array.isArray(set) ? (set as SqlRow[]).map(reader(all[i] as FieldPacket[], bytes)) : [],
  );
  return { count: rows.length, rows };
}
