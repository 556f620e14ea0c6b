import type { DescribedColumn } from '#shared/described.ts';
import { MAX_COLUMNS, mayAddNulls } from '../../sql-common.ts';
import type { OwnTypes } from './rows.ts';
import { schemaOf } from './values.ts';

/** A column of a description: its type and its origin, which is 0 for a computed column. */
export interface SentColumn {
  readonly name: string;
  readonly type: number;
  readonly table: number;
  readonly number: number;
}

/**
 * The names of types, and whether columns are declared NOT NULL, by their types and origins. Foreign tables and constraints that
 * were not validated do not enforce it.
 */
export const ORIGINS = `
  SELECT format_type(sent.type, a.atttypmod) AS type,
    coalesce(a.attnotnull, false) AND c.relkind IN ('r', 'p') AND NOT EXISTS (
      SELECT FROM pg_constraint k
      WHERE k.conrelid = c.oid AND k.contype = 'n' AND NOT k.convalidated AND k.conkey = ARRAY[a.attnum]
    ) AS never
  FROM unnest($1::oid[], $2::oid[], $3::int2[]) WITH ORDINALITY AS sent (type, origin, number, place)
  LEFT JOIN pg_attribute a ON a.attrelid = sent.origin AND a.attnum = sent.number AND a.attnum > 0
  LEFT JOIN pg_class c ON c.oid = a.attrelid
  ORDER BY sent.place`;

/** The values of `ORIGINS`. */
export function originsOf(columns: readonly SentColumn[]): string[] {
  const lists = [
    columns.map(({ type }) => type),
    columns.map(({ table }) => table),
    columns.map(({ number }) => number),
  ];
  return lists.map((list) => `{${list.join(',')}}`);
}

export function describedColumns(
  sql: string,
  columns: readonly SentColumn[],
  origins: readonly { readonly type: string; readonly never: boolean | null }[],
  ownTypes: OwnTypes,
): DescribedColumn[] {
  const isLoose = mayAddNulls(sql);
  return columns.map(({ name, type }, i) => ({
    name,
    type: origins[i]?.type ?? 'unknown',
    nullable: isLoose || origins[i]?.never !== true,
    schema: ownTypes.get(type) === undefined ? schemaOf(type) : { type: 'array' },
  }));
}

/** The columns of all tables. */
export const COLUMNS = `
  SELECT n.nspname AS schema, c.relname AS "table", c.relkind IN ('v', 'm') AS view, a.attname AS name,
    format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
    coalesce(a.attnum = ANY(i.indkey), false) AS key
  FROM pg_attribute a
  JOIN pg_class c ON c.oid = a.attrelid
  JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'm', 'p', 'f')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
    AND has_column_privilege(c.oid, a.attnum, 'SELECT')
  ORDER BY n.nspname <> 'public', n.nspname, c.relname, a.attnum
  LIMIT ${MAX_COLUMNS + 1}`;
