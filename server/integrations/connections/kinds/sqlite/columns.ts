import type { DescribedColumn } from '#shared/described.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { HostColumn } from './protocol.ts';
import { DECIMAL, LARGE, mayAddNulls, TEXT } from '../../sql-common.ts';

/** A declared type is only a wish, unless the table is strict. */
const SCALAR = { type: ['number', 'string'] };

export function describedColumns(sql: string, columns: readonly HostColumn[]): DescribedColumn[] {
  const isMixed = /\b(?:union|intersect|except)\b/i.test(sql);
  return columns.map((column) => {
    const { name, type, never, throughView } = column;
    // Only the first of several selects is told of, and what a view is made of is not seen here.
    const isSure = !isMixed && !throughView;
    return {
      name,
      type: type ?? 'unknown',
      nullable: !isSure || mayAddNulls(sql) || !never,
      schema: isSure || isJson(type) ? schemaOf(column) : SCALAR,
    };
  });
}

function isJson(type: string | null): boolean {
  return /^jsonb?$/i.test(type ?? '');
}

/** By the rules of SQLite for the affinity of a column. */
function schemaOf({ type, strict, rowid }: HostColumn): JsonSchema {
  if (type === null) return SCALAR;
  if (isJson(type)) return {};
  if (rowid || (strict && /^int(?:eger)?$/i.test(type))) return LARGE;
  if (strict && /^real$/i.test(type)) return DECIMAL;
  // Numbers become texts in such a column, and bytes are texts in a row.
  return /char|clob|text/i.test(type) && !/int/i.test(type) ? TEXT : SCALAR;
}
