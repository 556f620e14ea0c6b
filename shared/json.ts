/** Any value that JSON can hold. Values between nodes are of this shape, plus `Bytes` and streams. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema (draft 2020-12 subset) as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Whether a value is an object with named fields: neither null nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a stream of items. Throws what the value throws when it is inspected. */
export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** A value for people: a text as it is, any other value as JSON. */
export function textOrJson(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** JSON with the fields of objects in order, so that equal values have the same text; empty for what JSON cannot hold. */
export function sortedJson(value: unknown): string {
  if (typeof value !== 'object') return JSON.stringify(value) ?? '';
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
