/**
 * Makes any value fit to be kept and sent as JSON.
 * B1. A value that is plain JSON and small comes back as it is, uncopied; values are never changed.
 * B2. What is larger than the limit becomes `{"$large": …}` with its size and its beginning.
 * B3. What JSON cannot hold becomes an object with one `$` key that says what it was; nothing makes this throw.
 * B4. Values under the names of credential headers are masked.
 */

/** Values above this many characters of JSON are not kept whole. */
export const VALUE_LIMIT = 64 * 1024;

const SIZE_LIMIT = 1024 * 1024;
const PREVIEW_LENGTH = 1000;
const MAX_DEPTH = 200;
const MASK = '***';
const credentials = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key']);

/** Stands in for a value that was too large to keep. `size` is in characters of JSON (bytes for binary data). */
export interface LargeValue {
  readonly $large: { readonly size: number; readonly atLeast?: true; readonly preview: string };
}

interface Walk {
  left: number;
  readonly ancestors: object[];
}

class LimitReached extends Error {}

/** The value itself, or what stands in for it. `limit` is in characters of JSON, roughly counted. */
export function boundValue(value: unknown, limit = VALUE_LIMIT): unknown {
  if (typeof value === 'string') return value.length > limit ? large(value) : value;
  if (value === null || typeof value === 'boolean' || value === undefined) return value;
  try {
    return bound(value, { left: limit, ancestors: [] });
  } catch (error) {
    return error instanceof LimitReached ? large(value) : unreadable(error);
  }
}

function bound(value: unknown, walk: Walk): unknown {
  spend(walk, 4);
  switch (typeof value) {
    case 'string':
      spend(walk, value.length);
      return value;
    case 'number':
      return Number.isFinite(value) ? value : { $number: String(value) };
    case 'bigint':
      return { $bigint: String(value) };
    case 'function':
      return { $function: value.name };
    case 'symbol':
      return { $symbol: String(value) };
    case 'object':
      return value === null ? null : boundObject(value, walk);
    case 'boolean':
    case 'undefined':
      return value;
  }
}

function boundObject(value: object, walk: Walk): unknown {
  if (walk.ancestors.includes(value)) return { $cycle: true };
  if (walk.ancestors.length >= MAX_DEPTH) return { $deep: true };
  walk.ancestors.push(value);
  const result = Array.isArray(value)
    ? boundArray(value, walk)
    : (special(value, walk) ?? boundRecord(value, walk));
  walk.ancestors.pop();
  return result;
}

function boundArray(value: readonly unknown[], walk: Walk): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < value.length; i++) {
    const item = value[i];
    const kept = bound(item, walk);
    if (kept !== item) copy ??= value.slice();
    if (copy !== undefined) copy[i] = kept;
  }
  return copy ?? value;
}

function boundRecord(value: object, walk: Walk): object {
  const record = value as Record<string, unknown>;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    spend(walk, key.length);
    const item = record[key];
    const kept = isCredential(key) && item !== undefined ? MASK : bound(item, walk);
    if (kept === item) continue;
    copy ??= { ...record };
    // A plain assignment to this name would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: kept, enumerable: true });
    else copy[key] = kept;
  }
  return copy ?? value;
}

/** Objects that are not plain data; undefined when it is. */
function special(value: object, walk: Walk): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null)
    return hasToJson(value) ? bound(value.toJSON(), walk) : undefined;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytes(value, walk);
  if (value instanceof Error) return { $error: bound({ name: value.name, message: value.message }, walk) };
  if (opaque.some((type) => value instanceof type)) return { $object: value.constructor.name };
  if (Symbol.asyncIterator in value) return { $stream: true };
  return hasToJson(value) ? bound(value.toJSON(), walk) : undefined;
}

/** Built-in types whose content is not in their fields. */
const opaque = [Map, Set, WeakMap, WeakSet, Promise, RegExp];

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function bytes(value: ArrayBufferView | ArrayBuffer, walk: Walk): unknown {
  spend(walk, value.byteLength * 1.4);
  return { $bytes: { size: value.byteLength, base64: toBuffer(value).toString('base64') } };
}

function toBuffer(value: ArrayBufferView | ArrayBuffer): Buffer {
  return value instanceof ArrayBuffer
    ? Buffer.from(value)
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

function isCredential(key: string): boolean {
  return key.length >= 6 && key.length <= 19 && credentials.has(key.toLowerCase());
}

function spend(walk: Walk, size: number): void {
  walk.left -= size;
  if (walk.left < 0) throw new LimitReached();
}

function large(value: unknown): LargeValue {
  if (typeof value === 'string')
    return { $large: { size: value.length + 2, preview: value.slice(0, PREVIEW_LENGTH) } };
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    const preview = toBuffer(value)
      .subarray(0, PREVIEW_LENGTH / 2)
      .toString('base64');
    return { $large: { size: value.byteLength, preview } };
  }
  const walk: Walk = { left: SIZE_LIMIT, ancestors: [] };
  const preview = previewText(value);
  try {
    bound(value, walk);
    return { $large: { size: SIZE_LIMIT - walk.left, preview } };
  } catch {
    return { $large: { size: SIZE_LIMIT, atLeast: true, preview } };
  }
}

/** The beginning of a large object: its parts one after the other, each cut short. */
function previewText(value: unknown): string {
  const list = Array.isArray(value);
  let text = '';
  try {
    const record = value as Record<string, unknown>;
    for (const key of list ? value.slice(0, 200).keys() : Object.keys(record)) {
      if (text.length > PREVIEW_LENGTH) break;
      const shown = isCredential(String(key)) ? MASK : brief(record[key]);
      text += `${text === '' ? '' : ', '}${list ? '' : `${String(key).slice(0, 100)}: `}${shown}`;
    }
  } catch (error) {
    text += JSON.stringify(unreadable(error));
  }
  return `${list ? '[' : '{'}${text}`.slice(0, PREVIEW_LENGTH);
}

function brief(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 200));
  try {
    return JSON.stringify(bound(value, { left: 2 * PREVIEW_LENGTH, ancestors: [] }))?.slice(0, 500) ?? 'null';
  } catch {
    return Array.isArray(value) ? '[…]' : '{…}';
  }
}

function unreadable(error: unknown): unknown {
  return {
    $unreadable: error instanceof Error ? error.message.slice(0, 200) : 'the value threw when it was read',
  };
}
