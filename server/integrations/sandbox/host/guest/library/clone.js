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

/** A copy without its parts, and what puts them in. @type {(value: any, known: Map<object, unknown>) => [unknown, (() => void)?]} */
function shellOf(value, known) {
  const again = (/** @type {unknown} */ part) => cloneOf(part, known);
  switch (Object.prototype.toString.call(value).slice(8, -1)) {
    case 'Date':
      return [new Date(Number(value))];
    case 'RegExp':
      return [new RegExp(value.source, value.flags)];
    case 'ArrayBuffer':
      return [value.slice(0)];
    case 'Map': {
      const map = new Map();
      return [map, () => [...value].forEach(([key, part]) => map.set(again(key), again(part)))];
    }
    case 'Set': {
      const set = new Set();
      return [set, () => [...value].forEach((part) => set.add(again(part)))];
    }
    case 'Error': {
      const type = ERRORS.get(String(value.name)) ?? Error;
      const error = new type(String(value.message));
      return [
        Object.defineProperty(error, 'stack', { value: value.stack, writable: true, configurable: true }),
      ];
    }
    case 'Promise':
    case 'WeakMap':
    case 'WeakSet':
    case 'WeakRef':
      throw new TypeError(`A ${Object.prototype.toString.call(value).slice(8, -1)} cannot be cloned.`);
    default:
      return ArrayBuffer.isView(value) ? viewShell(value, again) : fieldsShell(value, again);
  }
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
  const copy = Array.isArray(value) ? new Array(value.length) : {};
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
