import { isForbidden } from './names.ts';

/** The word for a value's type, as messages and `typeOf` use it. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** `text`, `a number`, `an array`, `null`: a value's type in a sentence. */
export function aType(value: unknown): string {
  const name = typeName(value);
  if (name === 'null') return name;
  if (name === 'string') return 'text';
  return name === 'array' || name === 'object' ? `an ${name}` : `a ${name}`;
}

/**
 * A value's own field, or undefined when there is none. Nothing inherited, no functions, no forbidden names:
 * this is what keeps expressions in the data.
 */
export function readOwn(value: unknown, key: string | number): unknown {
  if (typeof value === 'string') {
    if (key === 'length') return value.length;
    return Object.hasOwn(Object(value), key) ? value[Number(key)] : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof key === 'string' && isForbidden(key)) return undefined;
  if (!Object.hasOwn(value, key)) return undefined;
  const found = (value as Record<string | number, unknown>)[key];
  return typeof found === 'function' ? undefined : found;
}

/** The names that `readOwn` can read, without functions and forbidden names. */
export function ownNames(value: object): string[] {
  return Object.keys(value).filter((key) => readOwn(value, key) !== undefined);
}

// Names that ordinary data and host values inherit; a plain read of these could find something that is not a field.
const inherited = new Set(
  [
    Object,
    Array,
    String,
    Number,
    Boolean,
    Map,
    Set,
    ArrayBuffer,
    Uint8Array,
    Object.getPrototypeOf(Uint8Array),
  ]
    .map((type: { prototype: object }) => Object.getOwnPropertyNames(type.prototype))
    .flat(),
);

/** Whether a plain `object[key]` may find something inherited, so that `readOwn` has to look. */
export function mayBeInherited(key: string): boolean {
  return inherited.has(key);
}
