import { WeftError } from '../base/errors.ts';

/** Values, params and streams that are made to break an operator, each with a name. */

type Named = readonly [name: string, make: () => unknown];

const trap = (): never => {
  throw new TypeError('a trap');
};

const trappedObject = (): object =>
  Object.defineProperties({}, { a: { enumerable: true, get: trap }, name: { enumerable: true, get: trap } });

const allTraps: ProxyHandler<object> = Object.fromEntries(
  Object.getOwnPropertyNames(Reflect).map((name) => [name, trap]),
);

const unreadable: readonly Named[] = [
  ['an object whose fields throw', trappedObject],
  ['a list whose items throw', () => Object.defineProperty([1, 2], 0, { enumerable: true, get: trap })],
  ['a list of objects whose fields throw', () => [trappedObject(), trappedObject()]],
  ['an object that throws at every touch', () => new Proxy({}, allTraps)],
  ['a list that throws at every touch', () => new Proxy([], allTraps)],
  ['a list of objects that throw at every touch', () => [new Proxy({}, allTraps)]],
  ['an object that was taken back', () => revoked({})],
  ['a list that was taken back', () => revoked([])],
  ['an object that throws when it is turned into something else', () => inconvertible()],
  ['a list with a broken iterator', () => Object.assign([1, 2], { [Symbol.iterator]: trap })],
  [
    'an object with a broken stream',
    () => ({
      get [Symbol.asyncIterator]() {
        return trap();
      },
    }),
  ],
];

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function inconvertible(): object {
  return { toString: trap, valueOf: trap, toJSON: trap, [Symbol.toPrimitive]: trap };
}

const odd: readonly Named[] = [
  ['null', () => null],
  ['true', () => true],
  ['-0', () => -0],
  ['NaN', () => Number.NaN],
  ['Infinity', () => Number.POSITIVE_INFINITY],
  ['the largest number', () => Number.MAX_VALUE],
  ['a BigInt', () => 10n],
  ['a symbol', () => Symbol('s')],
  ['a function', () => trap],
  ['a date', () => new Date(Number.NaN)],
  ['a map', () => new Map([[1, 2]])],
  ['bytes', () => new Uint8Array(8)],
  [
    'an instance of a class',
    () =>
      new (class Thing {
        private readonly a = 1;
        get b() {
          return this.a;
        }
      })(),
  ],
  ['a promise', () => Promise.resolve(1)],
  ['an empty text', () => ''],
  ['half a character', () => '\ud800'],
  ['zero bytes', () => '\0\0'],
  ['a text of the format language', () => '{{ input }}'],
  ['an empty list', () => []],
  ['an empty object', () => ({})],
  ['an object without a prototype', () => Object.assign(Object.create(null) as object, { a: 1 })],
  ['a list with holes', () => Object.assign([], { 5: 1 })],
  ['a list of everything', () => [null, 1, 'a', true, [], {}, Number.NaN, undefined, 10n]],
  ['an object like a list', () => ({ length: 1_000_000_000, 0: 'a' })],
  ['fields that would change prototypes', () => polluting()],
  ['a list of fields that would change prototypes', () => [polluting(), polluting()]],
  ['names that objects inherit', () => ['__proto__', 'constructor', 'toString', 'hasOwnProperty']],
  ['a cycle', () => cycle()],
  ['a list of cycles', () => [cycle(), cycle()]],
];

function polluting(): unknown {
  return JSON.parse(
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":{"polluted":true}}}',
  );
}

function cycle(): Record<string, unknown> {
  const value: Record<string, unknown> = { name: 'x' };
  value['self'] = value;
  value['list'] = [value];
  return value;
}

const large: readonly Named[] = [
  ['a text of eleven million characters', () => 'x'.repeat(11_000_000)],
  ['a long text of brackets', () => '['.repeat(1_000_000)],
  ['a long text of quotes', () => '"'.repeat(1_000_000)],
  ['a list of 100,000 items', () => Array.from({ length: 100_000 }, (_, i) => i)],
  ['a list of 1,200,000 items', () => Array.from<string>({ length: 1_200_000 }).fill('a')],
  ['a list of four billion holes', () => Object.assign([], { length: 4_294_967_295 })],
  [
    'an object of 20,000 fields',
    () => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, i])),
  ],
  ['100,000 levels', () => Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 1)],
  ['100,000 levels of objects', () => Array.from({ length: 100_000 }).reduce<unknown>((a) => ({ a }), 1)],
  [
    'two lists forty times within each other',
    () => Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 'x'),
  ],
];

/** Made once: that takes longer than an operator's use of them, and no operator changes its inputs. */
const largeOnce = large.map(([name, make]): Named => {
  let made: { value: unknown } | undefined;
  return [name, () => (made ??= { value: make() }).value];
});

/** Values as another operator could pass them on; `light` leaves out the large ones. */
export function hostileValues({ light = false }: { light?: boolean } = {}): readonly Named[] {
  return light ? [...odd, ...unreadable] : [...odd, ...unreadable, ...largeOnce];
}

/** JSON as a flow file could contain it at any param. */
export function hostileParams(): readonly unknown[] {
  return [
    null,
    true,
    -1,
    1e308,
    '',
    '{{',
    '{{ }}',
    '{{ missing }}',
    '{{ input.a.b.c }}',
    '{{ item }}',
    '('.repeat(1000),
    'x'.repeat(1_000_000),
    [],
    [[]],
    [null],
    [{}],
    Array.from({ length: 2000 }, () => ({ name: 'a' })),
    {},
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    { name: { name: {} }, when: '{{', value: '{{ input.x }}' },
  ];
}

interface HostileStream {
  /** What an operator returns. */
  source(): AsyncIterable<unknown>;
  /** It was started, has not ended and was not asked to stop. */
  isOpen(): boolean;
}

type NamedStream = readonly [name: string, make: () => HostileStream];

/** The result of the stream's n-th `next`; `undefined` ends it. */
type Next = (n: number) => Promise<unknown> | undefined;

function streamOf(next: Next, stop: () => Promise<unknown> = async () => undefined): HostileStream {
  let state: 'new' | 'open' | 'over' = 'new';
  let count = 0;
  const over = (): { done: true; value: undefined } => {
    state = 'over';
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterator<unknown> = {
    async next() {
      state = 'open';
      const given = next(count++);
      if (given === undefined) return over();
      try {
        return { done: false, value: await given };
      } catch (error) {
        over();
        throw error;
      }
    },
    async return() {
      const ended = over();
      await stop();
      return ended;
    },
  };
  return { source: () => ({ [Symbol.asyncIterator]: () => iterator }), isOpen: () => state === 'open' };
}

/** Other work gets its turn between two items. */
const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(() => resolve(value)));
const never = new Promise<never>(() => {});

/** Streams that never start, never end, fail, or break the rules for streams. */
export function hostileStreams(): readonly NamedStream[] {
  const values = hostileValues({ light: true });
  return [
    ['never starts', () => streamOf(() => never)],
    ['falls silent after an item', () => streamOf((n) => (n === 0 ? later('a') : never))],
    ['never ends', () => streamOf((n) => later(n))],
    [
      'never ends and does not stop when told',
      () =>
        streamOf(
          (n) => later(n),
          () => never,
        ),
    ],
    [
      'fails to stop',
      () =>
        streamOf(
          (n) => later(n),
          () => Promise.reject(new TypeError('no')),
        ),
    ],
    ['fails at once', () => streamOf(() => Promise.reject(new WeftError('bad_input', 'no')))],
    [
      'fails after three items',
      () => streamOf((n) => (n < 3 ? later({ n }) : Promise.reject(new WeftError('bad_input', 'no')))),
    ],
    ['fails with nothing', () => streamOf((n) => (n < 1 ? later(1) : failWith(undefined)))],
    [
      'fails with an object that throws at every touch',
      () => streamOf(() => failWith(new Proxy({}, allTraps))),
    ],
    ['is empty', () => streamOf(() => undefined)],
    [
      'gives everything that is odd',
      () => streamOf((n) => (n < values.length ? later(values[n]?.[1]()) : undefined)),
    ],
  ];
}

/** A rejection with a value that no error should be. */
function failWith(reason: unknown): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  reject(reason);
  return promise;
}
