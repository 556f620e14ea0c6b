import { recordOf } from './schema-shapes.ts';

/** An array of objects as a table: columns in the order of first occurrence, rows unchanged. */
export interface Table {
  readonly columns: readonly string[];
  /** Number of columns that are not shown. */
  readonly more: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

const LOOKED_AT = 200;
const MOST_COLUMNS = 30;

/** Undefined for any value that is not an array of objects. */
export function tableOf(value: unknown): Table | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const rows = value.map(recordOf);
  if (!rows.every((row) => row !== undefined)) return undefined;
  const names = new Set(rows.slice(0, LOOKED_AT).flatMap((row) => Object.keys(row)));
  if (names.size === 0) return undefined;
  const columns = [...names].slice(0, MOST_COLUMNS);
  return { columns, more: names.size - columns.length, rows };
}
