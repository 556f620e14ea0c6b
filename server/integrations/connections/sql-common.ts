import { z } from 'zod';
import { type SqlStatement, WeftError } from '#engine';
import type { ConnectionTables } from '#shared/connection.ts';
import { addressFields, mostField, passwordField, tlsFields } from './servers.ts';

/** Milliseconds that a cancelled statement may take to end, before its session is cut off. */
export const GRACE_MS = 2000;

/** The most columns that the list of tables shows. */
export const MAX_COLUMNS = 10_000;

/** The settings of a database server. */
export function databaseFields(defaults: { readonly port: number; readonly user: string }) {
  return {
    ...addressFields(defaults.port),
    database: z.string().min(1).max(255).describe('The name of the database.'),
    user: z.string().min(1).max(255).describe(`Whom to sign in as, such as ${defaults.user}.`),
    password: passwordField,
    ...tlsFields,
    most: mostField,
  };
}

export type DatabaseSettings = z.output<z.ZodObject<ReturnType<typeof databaseFields>>>;

export function tooManyRows(maxRows: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The statement gives more than ${maxRows} rows: add a LIMIT, raise \`maxRows\`, or read them as a stream.`,
  );
}

export function tooManyBytes(maxBytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The statement gives more than ${maxBytes} bytes: ask for fewer rows or columns, raise \`maxBytes\`, or read them as a stream.`,
  );
}

/** More than the answers to what a session asks for itself have. */
export function unasked(bytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The database sent more than ${bytes} bytes that were not asked for: test the connection, and see that its host and port are those of a database.`,
  );
}

/** Most bytes of the rows of a stream that are read at once. */
export const PIECE_BYTES = 500_000_000;

export function tooLargePiece(): WeftError {
  return new WeftError(
    'value_too_large',
    `Rows that a stream reads at once have more than ${PIECE_BYTES} bytes: ask for fewer columns, or for parts of long values.`,
  );
}

const ZERO = 48;

/** A decimal number as one of JavaScript, or as the text if that would lose digits. Zeros at its end are none. */
export function decimalOf(text: string): number | string {
  let end = text.length;
  if (end > 15 && text.includes('.')) while (text.charCodeAt(end - 1) === ZERO) end--;
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  // Too short for more digits than a number holds, with its point and sign.
  if (end <= 15) return value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return text;
  return digitsOf(String(value)) === digitsOf(text) ? value : text;
}

/** Its digits without zeros at both ends. The places of the point agree where one is read from the other. */
function digitsOf(text: string): string {
  const [number = ''] = text.split(/e/i);
  return number.replace(/\D/g, '').replace(/^0+|0+$/g, '');
}

/** Throws `sql_invalid` for two columns of one name. */
export function checkColumnNames(names: readonly string[]): void {
  if (new Set(names).size < names.length) throw namedTwice(names);
}

/** The error for two columns of one name, of which a row could hold only one. */
export function namedTwice(names: readonly string[]): WeftError {
  const twice = names.find((name, i) => names.indexOf(name) !== i) as string;
  return new WeftError(
    'sql_invalid',
    `Two columns of the result are called ${JSON.stringify(twice)}, and a row has one value for each name: name the columns one by one, and give one of them another name with AS (SELECT a.id, b.id AS other_id …).`,
    { data: { column: twice } },
  );
}

/** Bytes as a row holds them. */
export function bytesOf(bytes: Uint8Array, form: SqlStatement['bytes']): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return form === 'object' ? { $bytes: text } : text;
}

/** A whole number, or its text beyond 2^53. */
export function integerOf(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

/**
 * A value as a text for the database; null stays null. Objects and lists become JSON. Throws `sql_invalid` for what
 * no database takes.
 */
export function databaseText(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object') return JSON.stringify(value);
  throw new WeftError('sql_invalid', `The value of :${name} is a ${typeof value}, which no database takes.`);
}

/** JSON Schemas of what rows hold: `integerOf` and `decimalOf` give texts for what a number would lose. */
export const WHOLE = { type: 'integer' };
export const LARGE = { type: ['integer', 'string'] };
export const DECIMAL = { type: ['number', 'string'] };
export const TEXT = { type: 'string' };

/** Whether a statement may give null for a column that a table declares as never null. */
export function mayAddNulls(sql: string): boolean {
  return /\b(?:left|right|full|union|intersect|except|rollup|cube|grouping)\b/i.test(sql);
}

/** A column as the catalogs of databases list it. */
export interface ListedColumn {
  readonly schema?: string | undefined;
  readonly table: string;
  readonly view: boolean;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly key: boolean;
}

/** Columns in the order of their tables, as tables; `listed` may have one more than are shown. */
export function tablesOf(
  listed: readonly ListedColumn[],
  quote: ConnectionTables['quote'] = '"',
): ConnectionTables {
  const shown = listed.slice(0, MAX_COLUMNS);
  const tables = Map.groupBy(shown, ({ schema = '', table }) => JSON.stringify([schema, table]));
  return {
    tables: [...tables.values()].map((columns) => {
      const [{ schema, table, view }] = columns as [ListedColumn];
      return {
        ...(schema !== undefined && { schema }),
        name: table,
        view,
        columns: columns.map(({ name, type, nullable, key }) => ({ name, type, nullable, key })),
      };
    }),
    more: listed.length > shown.length,
    quote,
  };
}
