import type { Path } from './field-path.ts';

/**
 * The value with another one at a path; unchanged parts are shared. Missing objects on the path are created, elements of
 * lists must exist; `undefined` removes a key. A path that does not fit the value changes nothing.
 */
export function setAt(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) return setElement(value, key, (old) => setAt(old, rest, change));
  if (value !== undefined && (typeof value !== 'object' || value === null)) return value;
  // `parse` refuses this key, so nothing is ever written there.
  if (typeof key === 'number' || key === '__proto__') return value;
  const record = (value ?? {}) as Readonly<Record<string, unknown>>;
  const old = Object.hasOwn(record, key) ? record[key] : undefined;
  const set = setAt(old, rest, change);
  if (set === old) return value;
  if (set !== undefined) return { ...record, [key]: set };
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

function setElement(
  list: readonly unknown[],
  key: string | number,
  change: (old: unknown) => unknown,
): unknown {
  if (typeof key !== 'number' || key >= list.length) return list;
  const set = change(list[key]);
  return set === undefined || set === list[key] ? list : list.with(key, set);
}
