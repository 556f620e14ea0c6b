/**
 * In the test of a flow the code sees the test's clock and random values instead of the machine's.
 *
 * @typedef {{ now: number, random: () => number }} World
 */

/** @type {(given: { now: number, seed: number }) => World} */
export function makeWorld({ now, seed }) {
  let state = seed | 0;
  // The numbers of mulberry32.
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { now, random };
}

/** Replaces the machine's by both; before anything is frozen. @type {(world: () => World) => void} */
export function simulate(world) {
  const now = () => world().now;
  Math.random = () => world().random();
  const Real = Date;
  /** @type {(...given: unknown[]) => unknown} */
  function Simulated(...given) {
    if (new.target === undefined) return new Real(now()).toString();
    return Reflect.construct(Real, given.length === 0 ? [now()] : given, new.target);
  }
  for (const [name, field] of Object.entries(Object.getOwnPropertyDescriptors(Real))) {
    Object.defineProperty(Simulated, name, field);
  }
  Object.assign(Simulated, { now });
  Reflect.set(Real.prototype, 'constructor', Simulated);
  Reflect.set(globalThis, 'Date', Simulated);
  if (typeof Intl === 'object') simulateFormats(now);
}

/** Date formats use the current time if they get none. @type {(now: () => number) => void} */
function simulateFormats(now) {
  const { prototype } = Intl.DateTimeFormat;
  const { formatToParts } = prototype;
  const getFormat = Object.getOwnPropertyDescriptor(prototype, 'format')?.get ?? (() => String);
  Object.defineProperty(prototype, 'format', {
    configurable: true,
    get() {
      const format = Reflect.apply(getFormat, this, []);
      return (/** @type {unknown} */ date) => format(date ?? now());
    },
  });
  prototype.formatToParts = function (date) {
    return Reflect.apply(formatToParts, this, [date ?? now()]);
  };
}
