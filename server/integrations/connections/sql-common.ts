import { z } from 'zod';
import { type SqlStatement, WeftError } from '#engine';
import type { ConnectionTables } from '#shared/connection.ts';
import { proxyFields } from './proxy-fields.ts';
import { addressFields, mostField, passwordField, tlsFields } from './servers.ts';

/** How long a cancelled statement may take to end before its session is cut off, in milliseconds. */
export const GRACE_MS = 2000;

/** The most columns that the list of tables shows. */
export const MAX_COLUMNS = 10_000;

/** The settings of a database server. */
export function databaseFields(defaults: { readonly port: number; readonly user: string }) {
  return {
    ...addressFields(defaults.port),
    database: z.string().min(1).max(255).describe('The name of the database.'),
    user: z.string().min(1).max(255).describe(`The user to sign in as, such as ${defaults.user}.`),
    password: passwordField,
    ...tlsFields,
    most: mostField,
    ...proxyFields,
  };
}

export type DatabaseSettings = z.output<z.ZodObject<ReturnType<typeof databaseFields>>>;

export function tooManyRows(maxRows: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The statement returns more than ${maxRows} rows: add a LIMIT, raise \`maxRows\`, or read them as a stream.`,
  );
}

export function tooManyBytes(maxBytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The statement returns more than ${maxBytes} bytes: select fewer rows or columns, raise \`maxBytes\`, or read them as a stream.`,
  );
}

/** The error for more bytes than answers to the session itself may have. */
export function unasked(bytes: number): WeftError {
  return new WeftError(
    'value_too_large',
    `The database sent more than ${bytes} unrequested bytes: test the connection, and check that its host and port belong to a database.`,
  );
}

/** The most bytes of the rows that a stream reads together. */
export const PIECE_BYTES = 500_000_000;

export function tooLargePiece(): WeftError {
  return new WeftError(
    'value_too_large',
    `Rows that a stream reads together have more than ${PIECE_BYTES} bytes: select fewer columns, or parts of long values.`,
  );
}

const ZERO = 48;

/** A decimal number as a JavaScript number, or as text if the number would lose digits. Trailing zeros do not count as digits. */
export function decimalOf(text: string): number | string {
  let end = text.length;
  if (end > 15 && text.includes('.')) while (text.charCodeAt(end - 1) === ZERO) end--;
  const value = Number(text);
  if (!Number.isFinite(value)) return text;
  // With point and sign, too short to have more digits than a number holds.
  if (end <= 15) return value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return text;
  return digitsOf(String(value)) === digitsOf(text) ? value : text;
}

/** Its digits without leading and trailing zeros. The positions of the point agree, since one number is parsed from the other. */
function digitsOf(text: string): string {
  const [number = ''] = text.split(/e/i);
  return number.replace(/\D/g, '').replace(/^0+|0+$/g, '');
}

/** Throws `sql_invalid` for two columns with the same name. */
export function checkColumnNames(names: readonly string[]): void {
  if (new Set(names).size < names.length) throw namedTwice(names);
}

/** The error for two columns with the same name, since a row can hold only one of them. */
export function namedTwice(names: readonly string[]): WeftError {
  const twice = names.find((name, i) => names.indexOf(name) !== i) as string;
  return new WeftError(
    'sql_invalid',
    `Two columns of the result are called ${JSON.stringify(twice)}, and a row has one value for each name: name the columns one by one, and give one of them another name with AS (SELECT a.id, b.id AS other_id …).`,
    { data: { column: twice } },
  );
}

/** Bytes in the form of a row. */
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
 * A value as a text for the database; null stays null. Objects and lists become JSON. Throws `sql_invalid` for a value that no
 * database accepts.
 */
export function databaseText(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object') return JSON.stringify(value);
  throw new WeftError(
    'sql_invalid',
    `The value of :${name} is a ${typeof value}, which no database accepts.`,
  );
}

/** JSON Schemas of the values of rows: `integerOf` and `decimalOf` return texts where a number would lose digits. */
export const WHOLE = { type: 'integer' };
export const LARGE = { type: ['integer', 'string'] };
export const DECIMAL = { type: ['number', 'string'] };
export const TEXT = { type: 'string' };

/** Whether a statement may return null for a column that a table declares NOT NULL. */
export function mayAddNulls(sql: string): boolean {
  return /\b(?:left|right|full|union|intersect|except|rollup|cube|grouping)\b/i.test(sql);
}

/** A column in the catalog of a database. */
export interface ListedColumn {
  readonly schema?: string | undefined;
  readonly table: string;
  readonly view: boolean;
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly key: boolean;
}

/** Groups columns, which are in the order of their tables, by table; `listed` may have one more column than are shown. */
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
