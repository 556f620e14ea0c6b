import type { DescribedColumn } from '#shared/described.ts';
import { mayAddNulls } from '../../sql-common.ts';
import { schemaOf } from './values.ts';

/** A column of a description: its type, and where it comes from, with 0 for nowhere. */
export interface SentColumn {
  readonly name: string;
  readonly type: number;
  readonly table: number;
  readonly number: number;
}

/**
 * The words for types, and whether columns are declared as never null, by their types and origins. Foreign tables do not
 * enforce it, and neither do constraints that were not validated.
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
): DescribedColumn[] {
  const isLoose = mayAddNulls(sql);
  return columns.map(({ name, type }, i) => ({
    name,
    type: origins[i]?.type ?? 'unknown',
    nullable: isLoose || origins[i]?.never !== true,
    schema: schemaOf(type),
  }));
}
