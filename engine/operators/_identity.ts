import { MAX_JSON_DEPTH } from '#shared/flow.ts';
import { isLongerJson } from '#shared/json-length.ts';
import { WeftError } from '../base/operator.ts';
import { MAX_TEXT } from './_limits.ts';
import { plainObject } from './_record.ts';
import { TextBuilder } from './_text.ts';

/**
 * A Map key for JSON values: equal values, whatever the order of their fields, have the same identity, and `1` differs from
 * `"1"`. A missing value counts as null.
 * @throws WeftError `not_serialisable`, `too_deep`, `value_too_large`.
 */
export function identityOf(value: unknown): string | number | boolean | null {
  switch (typeof value) {
    case 'undefined':
      return null;
    case 'number':
    case 'boolean':
      return value;
    case 'string':
      return value.startsWith(MARK) ? `${MARK}"${value}` : value;
    default:
      return value === null ? null : MARK + canonicalJson(value);
  }
}

/** Keeps objects apart from texts that look like their JSON. */
const MARK = '\0';

/** Like JSON, with the fields of objects sorted. */
function canonicalJson(value: unknown): string {
  if (isLongerJson(value, MAX_TEXT)) {
    throw new WeftError(
      'value_too_large',
      `A value to compare is longer than ${MAX_TEXT} characters of JSON.`,
    );
  }
  const parts = new TextBuilder();
  addValue(parts, value, 0);
  return parts.toString();
}

function addValue(parts: TextBuilder, value: unknown, depth: number): void {
  if (typeof value === 'string') return parts.add(JSON.stringify(value));
  if (value === undefined || value === null) return parts.add('null');
  if (typeof value === 'number' || typeof value === 'boolean') return parts.add(String(value));
  const object = plainObject(value);
  if (depth === MAX_JSON_DEPTH)
    throw new WeftError('too_deep', `A value to compare is nested deeper than ${MAX_JSON_DEPTH} levels.`);
  if (Array.isArray(object)) addItems(parts, object, depth + 1);
  else addFields(parts, object as Record<string, unknown>, depth + 1);
}

function addItems(parts: TextBuilder, list: readonly unknown[], depth: number): void {
  parts.add('[');
  for (let i = 0; i < list.length; i++) {
    addValue(parts, list[i], depth);
    parts.add(',');
  }
  parts.add(']');
}

function addFields(parts: TextBuilder, record: Readonly<Record<string, unknown>>, depth: number): void {
  parts.add('{');
  for (const key of Object.keys(record).sort()) {
    const field = record[key];
    // As in JSON, a field that is undefined does not count.
    if (field === undefined) continue;
    parts.add(`${JSON.stringify(key)}:`);
    addValue(parts, field, depth);
    parts.add(',');
  }
  parts.add('}');
}
