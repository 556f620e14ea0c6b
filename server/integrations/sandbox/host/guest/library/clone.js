/** `structuredClone`, for the types that the language itself has. */

const ERRORS = new Map(
  [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((type) => [
    type.name,
    type,
  ]),
);

/** @type {(value: unknown) => unknown} */
export function structuredClone(value) {
  return cloneOf(value, new Map());
}

/** @type {(value: unknown, known: Map<object, unknown>) => unknown} */
function cloneOf(value, known) {
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new TypeError(`A ${typeof value} cannot be cloned.`);
  if (typeof value !== 'object' || value === null) return value;
  const made = known.get(value);
  if (made !== undefined) return made;
  const [empty, fill] = shellOf(value, known);
  known.set(value, empty);
  fill?.();
  return empty;
}

/**
 * A copy without its parts, and what puts them in, by the kind of object.
 *
 * @typedef {(part: unknown) => unknown} Again
 * @type {Record<string, (value: any, again: Again) => [unknown, (() => void)?]>}
 */
const SHELLS = {
  Date: (value) => [new Date(Number(value))],
  RegExp: (value) => [new RegExp(value.source, value.flags)],
  ArrayBuffer: (value) => [value.slice(0)],
  Map(value, again) {
    const map = new Map();
    return [map, () => [...value].forEach(([key, part]) => map.set(again(key), again(part)))];
  },
  Set(value, again) {
    const set = new Set();
    return [set, () => [...value].forEach((part) => set.add(again(part)))];
  },
  Error(value) {
    const type = ERRORS.get(String(value.name)) ?? Error;
    const stack = { value: value.stack, writable: true, configurable: true };
    return [Object.defineProperty(new type(String(value.message)), 'stack', stack)];
  },
};
const UNCLONABLE = new Set(['Promise', 'WeakMap', 'WeakSet', 'WeakRef']);

/** @type {(value: object, known: Map<object, unknown>) => [unknown, (() => void)?]} */
function shellOf(value, known) {
  const again = (/** @type {unknown} */ part) => cloneOf(part, known);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (UNCLONABLE.has(kind)) throw new TypeError(`A ${kind} cannot be cloned.`);
  if (Object.hasOwn(SHELLS, kind)) return SHELLS[kind]?.(value, again) ?? [undefined];
  return ArrayBuffer.isView(value) ? viewShell(value, again) : fieldsShell(value, again);
}

/** @type {(value: any, again: (part: unknown) => unknown) => [unknown]} */
function viewShell(value, again) {
  const Type = value instanceof DataView ? DataView : plainTypeOf(value);
  return [
    new Type(
      again(value.buffer),
      value.byteOffset,
      value instanceof DataView ? value.byteLength : value.length,
    ),
  ];
}

/** A Buffer is cloned as a Uint8Array, as in Node. @type {(value: any) => any} */
function plainTypeOf(value) {
  return Reflect.get(globalThis, value[Symbol.toStringTag]);
}

/** @type {(value: any, again: (part: unknown) => unknown) => [unknown, () => void]} */
function fieldsShell(value, again) {
  const copy = Array.isArray(value) ? Array.from({ length: 0 }) : {};
  if (Array.isArray(copy)) copy.length = value.length;
  return [
    copy,
    () => {
      for (const key of Object.keys(value))
        Object.defineProperty(copy, key, {
          value: again(value[key]),
          writable: true,
          enumerable: true,
          configurable: true,
        });
    },
  ];
}
