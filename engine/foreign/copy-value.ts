import { MAX_JSON_DEPTH } from '#shared/flow.ts';
import { WeftError } from '../base/errors.ts';

/**
 * A copy of a value as it passes between nodes: JSON and bytes. `toJSON` is used if there is one, and fields without a value
 * are left out; a part that occurs in many places is copied once. Throws `not_serialisable`, which names the place, for any
 * other value: a function, a Map, a cycle.
 */
export function copyValue(value: unknown): unknown {
  const copies = new Map<object, unknown>();
  const copyAt = (part: unknown, path: readonly string[]): unknown => {
    if (part === null || typeof part !== 'object') return plain(part, path);
    // A part that was copied whole does not contain itself, so it can occur anywhere.
    if (copies.has(part)) return copies.get(part);
    const copy = copyObject(part, path, copyAt);
    copies.set(part, copy);
    return copy;
  };
  return copyAt(value, []);
}

type Copy = (part: unknown, path: readonly string[]) => unknown;

function copyObject(value: object, path: readonly string[], copyAt: Copy): unknown {
  if (path.length > MAX_JSON_DEPTH) throw refused('is nested deeper than 200 levels, or contains itself', []);
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return copyList(value, path, copyAt);
  if ('toJSON' in value && typeof value.toJSON === 'function') return copyAt(value.toJSON(), [...path, '']);
  const kind = kindOf(value);
  if (kind !== undefined) throw refused(`is ${kind}`, path);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, copyAt(field, [...path, name])]));
}

function copyList(list: readonly unknown[], path: readonly string[], copyAt: Copy): unknown[] {
  // By index, since a list may have holes.
  return Array.from({ length: list.length }, (_, i) => copyAt(list[i], [...path, String(i)]) ?? null);
}

function plain(value: unknown, path: readonly string[]): unknown {
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function')
    throw refused(`is a ${typeof value}`, path);
  return value;
}

function kindOf(value: object): string | undefined {
  if (value instanceof Map) return 'a Map; turn it into an object with Object.fromEntries';
  if (value instanceof Set) return 'a Set; turn it into a list with [...set]';
  if (value instanceof Promise) return 'a promise; await it';
  return undefined;
}

function refused(what: string, path: readonly string[]): WeftError {
  const place =
    path.length === 0 ? 'The value' : `The value at ${path.filter((part) => part !== '').join('.')}`;
  return new WeftError('not_serialisable', `${place} ${what}; nodes can only pass on JSON values.`);
}
