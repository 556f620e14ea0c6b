/**
 * Makes any value fit to be stored and sent as JSON.
 * BV1. A small value of plain JSON is returned as it is, uncopied; values are never changed.
 * BV2. A value above the limit becomes `{"$large": …}` with its size and its beginning.
 * BV3. A value that JSON cannot represent becomes an object with one `$` key that names its kind; no value makes this
 *      throw.
 * BV4. Values under the names of credential headers are masked.
 * BV5. The secrets that a redactor knows are masked, even if a text is cut off within one.
 * BV6. With a store for large values, a larger value is stored there whole (except masked parts), and its stand-in has
 *      its hash.
 */
import { isLongerJson } from '#shared/json-length.ts';
import { redactNumber } from '../../base/secrets/redact-value.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { type LargeValue, MAX_VALUE, type RunValues } from './blobs/run-values.ts';

/** Values above this many characters of JSON are not stored whole. */
export const VALUE_LIMIT = 64 * 1024;

const SIZE_LIMIT = 1024 * 1024;
const PREVIEW_LENGTH = 1000;
const MAX_DEPTH = 200;
const MASK = '***';
const credentials = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key']);

interface Walk {
  left: number;
  /** Undefined if there is nothing to mask. */
  readonly masks: Redactor | undefined;
  readonly ancestors: object[];
}

class LimitReached extends Error {}

/** The value itself, or its stand-in. `limit` is in characters of JSON, roughly counted. */
export function boundValue(
  value: unknown,
  limit = VALUE_LIMIT,
  redactor?: Redactor,
  values?: RunValues,
): unknown {
  const masks = redactor?.active === true ? redactor : undefined;
  if (typeof value === 'string')
    return value.length > limit ? standIn(value, masks, values) : maskedText(value, masks);
  if (value === null || typeof value === 'boolean' || value === undefined) return value;
  try {
    return bound(value, { left: limit, masks, ancestors: [] });
  } catch (error) {
    return error instanceof LimitReached ? standIn(value, masks, values) : unreadable(error, masks);
  }
}

function standIn(value: unknown, masks: Redactor | undefined, values: RunValues | undefined): LargeValue {
  const make = (): LargeValue => large(value, masks);
  return values === undefined ? make() : values.standIn(value, make, () => wholeText(value, masks));
}

/** Undefined if it is too long or throws when it is read. */
function wholeText(value: unknown, masks: Redactor | undefined): string | undefined {
  try {
    return JSON.stringify(bound(value, { left: MAX_VALUE, masks, ancestors: [] }));
  } catch {
    return undefined;
  }
}

function maskedText(text: string, masks: Redactor | undefined): string {
  return masks === undefined ? text : masks.text(text);
}

/** The beginning of a longer text. */
function cutText(text: string, length: number, masks: Redactor | undefined): string {
  const kept = text.slice(0, length);
  return masks === undefined ? kept : masks.beginning(kept);
}

function bound(value: unknown, walk: Walk): unknown {
  spend(walk, 4);
  switch (typeof value) {
    case 'string':
      spend(walk, value.length);
      return maskedText(value, walk.masks);
    case 'number':
      return boundNumber(value, walk.masks);
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

function boundNumber(value: number, masks: Redactor | undefined): unknown {
  if (!Number.isFinite(value)) return { $number: String(value) };
  return masks === undefined ? value : redactNumber(value, masks);
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
    const name = maskedText(key, walk.masks);
    if (kept === item && name === key) continue;
    copy ??= { ...record };
    if (name !== key) delete copy[key];
    // A plain assignment to this name would set the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: kept, enumerable: true });
    else copy[name] = kept;
  }
  return copy ?? value;
}

/** The stand-in for an object that is not plain data; undefined if it is plain. */
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
  return {
    $bytes: { size: value.byteLength, base64: maskedText(toBuffer(value).toString('base64'), walk.masks) },
  };
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

function large(value: unknown, masks: Redactor | undefined): LargeValue {
  if (typeof value === 'string')
    return { $large: { size: value.length + 2, preview: cutText(value, PREVIEW_LENGTH, masks) } };
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    const start = toBuffer(value).subarray(0, PREVIEW_LENGTH / 2);
    const preview = cutText(start.toString('base64'), PREVIEW_LENGTH, masks);
    return { $large: { size: value.byteLength, preview } };
  }
  // Only counts: the preview is masked instead.
  const walk: Walk = { left: SIZE_LIMIT, masks: undefined, ancestors: [] };
  const preview = previewText(value, masks);
  const more: LargeValue = { $large: { size: SIZE_LIMIT, atLeast: true, preview } };
  try {
    if (isLongerJson(value, SIZE_LIMIT)) return more;
    bound(value, walk);
    return { $large: { size: SIZE_LIMIT - walk.left, preview } };
  } catch {
    return more;
  }
}

/** The beginning of a large object: its parts in order, each cut short. */
function previewText(value: unknown, masks: Redactor | undefined): string {
  const list = Array.isArray(value);
  let text = '';
  try {
    const record = value as Record<string, unknown>;
    for (const key of list ? value.slice(0, 200).keys() : Object.keys(record)) {
      if (text.length > PREVIEW_LENGTH) break;
      const shown = isCredential(String(key)) ? MASK : brief(record[key], masks);
      text += `${text === '' ? '' : ', '}${list ? '' : `${cutText(String(key), 100, masks)}: `}${shown}`;
    }
  } catch (error) {
    text += JSON.stringify(unreadable(error, masks));
  }
  return `${list ? '[' : '{'}${text}`.slice(0, PREVIEW_LENGTH);
}

function brief(value: unknown, masks: Redactor | undefined): string {
  if (typeof value === 'string') return JSON.stringify(cutText(value, 200, masks));
  try {
    return (
      JSON.stringify(bound(value, { left: 2 * PREVIEW_LENGTH, masks, ancestors: [] }))?.slice(0, 500) ??
      'null'
    );
  } catch {
    return Array.isArray(value) ? '[…]' : '{…}';
  }
}

function unreadable(error: unknown, masks: Redactor | undefined): unknown {
  return {
    $unreadable:
      error instanceof Error ? cutText(error.message, 200, masks) : 'the value threw when it was read',
  };
}
