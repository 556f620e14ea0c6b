/**
 * Runs before anything else in a context. Changes by one call must not reach the next, so everything shared is
 * frozen, down to the last function; and memory that the isolate's limit does not cover is removed.
 */

/** Globals that no code gets: memory and threads outside the heap's limit, and a console that is not ours. */
const NEVER = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'console'];
/** Sources of differences between two calls with the same input. */
const IMPURE = ['Date', 'Intl', 'WeakRef', 'FinalizationRegistry'];

/** `shared`: objects of this side that the code of every call gets. @type {(pure: boolean, shared: object[]) => void} */
export function harden(pure, shared) {
  const names = pure ? [...NEVER, ...IMPURE] : NEVER;
  for (const name of names) Reflect.deleteProperty(globalThis, name);
  if (pure) Reflect.deleteProperty(Math, 'random');
  const overridden = allowOverriding(Object.prototype);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const { prototype } = Reflect.get(globalThis, name) ?? {};
    if (prototype === Error.prototype || prototype instanceof Error)
      overridden.push(...allowOverriding(prototype));
  }
  freezeAll([globalThis, ...shared, ...overridden, ...hiddenIntrinsics()]);
}

/** Everything reachable from there, through fields, accessors and prototypes. @type {(from: unknown[]) => void} */
function freezeAll(from) {
  /** @type {object[]} */
  const waiting = [];
  const known = new Set();
  const reach = (/** @type {unknown} */ value) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || known.has(value))
      return;
    known.add(value);
    waiting.push(value);
  };
  for (const value of from) reach(value);
  for (let value = waiting.pop(); value; value = waiting.pop()) {
    reach(Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const field = Object.getOwnPropertyDescriptor(value, key);
      reach(field?.value);
      reach(field?.get);
      reach(field?.set);
    }
    Object.freeze(value);
  }
}

/**
 * Objects that lead to those without a global name: prototypes, and the accessors that V8 gives to each error. If the
 * language does not have some of them yet, there is nothing to freeze.
 */
function hiddenIntrinsics() {
  /** @type {object[]} */
  const made = [
    async () => {},
    function* () {},
    async function* () {},
    [][Symbol.iterator](),
    ''[Symbol.iterator](),
    new Map().entries(),
    new Set().values(),
    ''.matchAll(/x/g),
    Uint8Array,
    new Error('any'),
  ];
  if (Error.captureStackTrace) {
    const traced = {};
    Error.captureStackTrace(traced);
    made.push(traced);
  }
  const helpers = Reflect.get(globalThis, 'Iterator');
  if (helpers) {
    const iterator = helpers.from({ next: () => ({ done: true, value: 0 }) });
    made.push(iterator, iterator.map(String));
  }
  if (typeof Intl === 'object' && Intl.Segmenter) {
    const segments = new Intl.Segmenter().segment('');
    made.push(segments, segments[Symbol.iterator]());
  }
  return made;
}

const anything = /(?:)/;

/** V8 stores the last match of all code in a context, where `RegExp.$1` and the like find it. */
export function forgetMatches() {
  anything.exec('');
}

/**
 * On a frozen prototype a plain data field would forbid `object.toString = …` on everything below it; as an accessor
 * it creates an own field there, as one expects. Returns the values, which the accessors hide from a walk over fields.
 *
 * @type {(prototype: object) => unknown[]}
 */
function allowOverriding(prototype) {
  /** @type {unknown[]} */
  const values = [];
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const { value, writable, enumerable } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
    if (!writable) continue;
    values.push(value);
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
  return values;
}
