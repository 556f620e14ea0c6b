import type { SqlRow, SqlStatement } from '#engine';
import { checkColumnNames } from '../../sql-common.ts';
import type { SentColumn } from './columns.ts';
import { BYTES, BYTES_LIST, isOwnType, listParser, NUMERIC, type Parse } from './values.ts';

/** Parsers for types that the database defines itself; undefined for types that stay texts. */
export type OwnTypes = Map<number, Parse | undefined>;

/** Finds list types among the types that a database defines itself, such as enumerations, with the type of their items. */
export const OWN_TYPES = `
  SELECT l.oid::int8 AS type, CASE WHEN i.typtype = 'd' THEN i.typbasetype ELSE i.oid END::int8 AS item
  FROM pg_type l JOIN pg_type i ON i.oid = l.typelem
  WHERE l.oid = ANY($1::oid[]) AND l.typcategory = 'A' AND i.typdelim = ','`;

/** The types of columns that are not known yet. */
export function unknownTypes(columns: readonly SentColumn[], known: OwnTypes): number[] {
  return columns.map(({ type }) => type).filter((type) => isOwnType(type) && !known.has(type));
}

export function learnTypes(
  known: OwnTypes,
  asked: readonly number[],
  found: readonly { readonly type: number; readonly item: number }[],
): void {
  for (const type of asked) known.set(type, undefined);
  for (const { type, item } of found) known.set(type, listParser(item));
}

type Change = (value: unknown) => unknown;

/**
 * Converts the rows of a statement where the driver cannot, since it knows only types. Throws `sql_invalid` for two columns with
 * the same name.
 */
export function rowChanger(
  { sql, bytes }: Pick<SqlStatement, 'sql' | 'bytes'>,
  columns: readonly SentColumn[],
  known: OwnTypes,
): (rows: SqlRow[]) => SqlRow[] {
  checkColumnNames(columns.map(({ name }) => name));
  const changes = columns.flatMap((column): (readonly [string, Change])[] => {
    const change = changeOf(column, sql, bytes, known);
    return change === undefined ? [] : [[column.name, change]];
  });
  if (changes.length === 0) return (rows) => rows;
  return (rows) => {
    for (const row of rows)
      for (const [name, change] of changes) if (row[name] !== null) row[name] = change(row[name]);
    return rows;
  };
}

function changeOf(
  { type, table }: SentColumn,
  sql: string,
  bytes: SqlStatement['bytes'],
  known: OwnTypes,
): Change | undefined {
  if (bytes === 'object' && (type === BYTES || type === BYTES_LIST)) return asObjects;
  if (type === NUMERIC && table === 0 && ROUNDS.test(sql)) return roundedNumber;
  const parse = known.get(type);
  return parse && ((text) => parse(text as string));
}

function asObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asObjects);
  return value === null ? null : { $bytes: value };
}

/** Functions whose results have endless decimals, which PostgreSQL itself rounds to 16 digits or slightly more. */
const ROUNDS = /\/|\b(?:avg|stddev\w*|var(?:iance|_\w+)|sqrt|exp|ln|log\w*|pow(?:er)?)\b/i;

/**
 * A quotient or root as a number. PostgreSQL computes it with a limited number of digits; sums and products of stored decimals
 * may have more, and stay texts if a number would lose digits.
 */
function roundedNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [, whole, fraction] = /^-?(\d+)\.(\d+)$/.exec(value) ?? [];
  if (whole === undefined || fraction === undefined || fraction.length < 8) return value;
  const digits = `${whole}${fraction}`.replace(/^0+/, '').length;
  // Groups of four digits before the point; for numbers below one, groups of zeros after it.
  const groups = /[1-9]/.test(whole)
    ? Math.floor((whole.length - 1) / 4)
    : -1 - Math.floor(/^0*/.exec(fraction)![0].length / 4);
  const room = 16 - 4 * groups;
  const isRounded = fraction.length === room || fraction.length === room + 4 || digits <= 17;
  return isRounded ? Number(value) : value;
}
