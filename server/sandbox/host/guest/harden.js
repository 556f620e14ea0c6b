/**
 * Runs before anything else in a context: what one call changes must not reach the next, so everything that is shared is
 * frozen; and the memory that the isolate's limit does not cover is taken away.
 */

/** What no code gets: memory and threads outside the heap's limit, and a console that is not ours. */
const NEVER = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'console'];
/** What would make two calls with the same input differ. */
const IMPURE = ['Date', 'Intl', 'WeakRef', 'FinalizationRegistry'];

/** @type {(pure: boolean) => void} */
export function harden(pure) {
  const names = pure ? [...NEVER, ...IMPURE] : NEVER;
  for (const name of names) Reflect.deleteProperty(globalThis, name);
  if (pure) Reflect.deleteProperty(Math, 'random');
  allowOverriding(Object.prototype);
  allowOverriding(Error.prototype);
  for (const name of Object.getOwnPropertyNames(globalThis)) freezeIntrinsic(Reflect.get(globalThis, name));
  for (const hidden of hiddenIntrinsics()) freezeIntrinsic(hidden);
  Object.freeze(globalThis);
}

/** @type {(value: unknown) => void} */
function freezeIntrinsic(value) {
  if (value === globalThis || (typeof value !== 'object' && typeof value !== 'function') || value === null)
    return;
  Object.freeze(value);
  if (typeof value === 'function' && value.prototype) Object.freeze(value.prototype);
}

/** Those without a global name. */
function hiddenIntrinsics() {
  const prototype = Object.getPrototypeOf;
  const functions = [async () => {}, function* () {}, async function* () {}];
  const iterators = [[][Symbol.iterator](), ''[Symbol.iterator](), new Map().entries(), new Set().values()];
  const typedArray = prototype(Uint8Array);
  const found = [typedArray, typedArray.prototype];
  for (const fn of functions) {
    const kind = prototype(fn);
    found.push(kind, kind.constructor);
    for (let at = kind.prototype; at && at !== Object.prototype; at = prototype(at)) found.push(at);
  }
  for (const iterator of [...iterators, ''.matchAll(/x/g)]) found.push(prototype(iterator));
  return found;
}

/**
 * On a frozen prototype a plain data field would forbid `object.toString = …` on everything below it; as an accessor it makes
 * an own field there, as one expects.
 *
 * @type {(prototype: object) => void}
 */
function allowOverriding(prototype) {
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const { value, writable, enumerable } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
    if (!writable) continue;
    Object.defineProperty(prototype, name, {
      configurable: true,
      enumerable: enumerable === true,
      get: () => value,
      set(given) {
        if (this === prototype) throw new TypeError(`Cannot change ${name} of what all code shares.`);
        const writableField = { value: given, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(this, name, writableField);
      },
    });
  }
}
