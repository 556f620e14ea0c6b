import type { DescribedColumn } from '#shared/described.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { HostColumn } from './protocol.ts';
import { DECIMAL, LARGE, mayAddNulls, TEXT } from '../../sql-common.ts';

/** SQLite enforces a declared type only if the table is strict. */
const SCALAR = { type: ['number', 'string'] };

export function describedColumns(sql: string, columns: readonly HostColumn[]): DescribedColumn[] {
  const isMixed = /\b(?:union|intersect|except)\b/i.test(sql);
  return columns.map((column) => {
    const { name, type, never, throughView } = column;
    // SQLite describes only the first of several selects, and not the origins of the columns of a view.
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

/** The type by the affinity rules of SQLite. */
function schemaOf({ type, strict, rowid }: HostColumn): JsonSchema {
  if (type === null) return SCALAR;
  if (isJson(type)) return {};
  if (rowid || (strict && /^int(?:eger)?$/i.test(type))) return LARGE;
  if (strict && /^real$/i.test(type)) return DECIMAL;
  // Such a column turns numbers into texts, and rows hold bytes as texts.
  return /char|clob|text/i.test(type) && !/int/i.test(type) ? TEXT : SCALAR;
}
