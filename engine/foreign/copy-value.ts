import { MAX_JSON_DEPTH } from '#shared/flow.ts';
import { WeftError } from '../errors.ts';

/**
 * A copy of a value as it travels between nodes: JSON and bytes. What has a `toJSON` is written by it, a field without a value
 * is left out; a part that is held in many places is copied once. Throws `not_serialisable`, naming the place, for what is no
 * such value: a function, a Map, a cycle.
 */
export function copyValue(value: unknown): unknown {
  const copies = new Map<object, unknown>();
  const copyAt = (part: unknown, path: readonly string[]): unknown => {
    if (part === null || typeof part !== 'object') return plain(part, path);
    // What was copied whole holds no part of itself, and so may stand anywhere.
    if (copies.has(part)) return copies.get(part);
    const copy = copyObject(part, path, copyAt);
    copies.set(part, copy);
    return copy;
  };
  return copyAt(value, []);
}

type Copy = (part: unknown, path: readonly string[]) => unknown;

function copyObject(value: object, path: readonly string[], copyAt: Copy): unknown {
  if (path.length > MAX_JSON_DEPTH) throw refused('is nested deeper than 200 levels, or holds itself', []);
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
  if (value instanceof Map) return 'a Map; make an object of it with Object.fromEntries';
  if (value instanceof Set) return 'a Set; make a list of it with [...set]';
  if (value instanceof Promise) return 'a promise; await it';
  return undefined;
}

function refused(what: string, path: readonly string[]): WeftError {
  const place =
    path.length === 0 ? 'The value' : `The value at ${path.filter((part) => part !== '').join('.')}`;
  return new WeftError('not_serialisable', `${place} ${what}; nodes pass on JSON values only.`);
}
