/** Values that no operator expects, but each must handle. */
export function oddValues(): unknown[] {
  const cycle: Record<string, unknown> = { name: 'x' };
  cycle['self'] = cycle;
  const doubled = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner, inner], 'x');
  const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 'x');
  return [
    null,
    true,
    0,
    -0,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    10n,
    Symbol('s'),
    () => 1,
    new Date(0),
    new Map([[1, 2]]),
    '',
    'x'.repeat(10_000_001),
    '{"a":',
    '['.repeat(100_000),
    '\ud800',
    '{"__proto__":{"polluted":true}}',
    [],
    {},
    [[]],
    Array.from({ length: 100_000 }, (_, i) => i),
    Object.assign([], { length: 1000 }),
    cycle,
    doubled,
    deep,
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
    { name: 1, age: 'x', a: null, price: {}, count: [], id: Number.NaN },
    Object.create(null),
  ];
}

/** An object whose field throws when it is read. */
export function trap(): object {
  return Object.defineProperty({}, 'trap', { enumerable: true, get: spring });
}

function spring(): never {
  throw new Error('a trap');
}

/** A stream that never gives an item and ignores a request to stop. */
export function silentStream(): AsyncIterable<unknown> {
  const never = new Promise<never>(() => {});
  return { [Symbol.asyncIterator]: () => ({ next: () => never, return: () => never }) };
}
