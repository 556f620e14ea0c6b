import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { boundValue, VALUE_LIMIT } from './bound-value.ts';

test('small plain JSON comes back as the same object', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(boundValue(value)).toBe(value);
    }),
  );
});

test('whatever the value is, the result can be written as JSON of bounded size', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
  });
  fc.assert(
    fc.property(anything, (value) => {
      const json = JSON.stringify({ value: boundValue(value, 500) });
      expect(json.length).toBeLessThan(5000);
    }),
  );
});

test('a value above the limit is replaced by its size and its beginning', () => {
  const text = 'x'.repeat(VALUE_LIMIT + 1);
  expect(boundValue(text)).toEqual({ $large: { size: text.length + 2, preview: 'x'.repeat(1000) } });
  const list = Array.from({ length: 20_000 }, (_, i) => ({ n: i }));
  const kept = boundValue(list) as { $large: { size: number; preview: string } };
  expect(kept.$large.size).toBeGreaterThan(VALUE_LIMIT);
  expect(kept.$large.preview.startsWith('[{"n":0}, {"n":1}, ')).toBe(true);
  expect(kept.$large.preview.length).toBeLessThanOrEqual(1000);
});

test('the size of an enormous object is a lower bound, and marked as one', () => {
  const list = Array.from({ length: 400_000 }, (_, i) => i);
  expect(boundValue(list)).toMatchObject({ $large: { atLeast: true, size: 1024 * 1024 } });
});

test('binary data is kept as base64 when small and by its size when large', () => {
  expect(boundValue(new Uint8Array([1, 2, 3]))).toEqual({ $bytes: { size: 3, base64: 'AQID' } });
  expect(boundValue(new Uint8Array(100_000))).toMatchObject({ $large: { size: 100_000 } });
});

test('a cycle is cut where it closes', () => {
  const value: { name: string; self?: unknown } = { name: 'a' };
  value.self = value;
  expect(boundValue(value)).toEqual({ name: 'a', self: { $cycle: true } });
});

test('an object that occurs twice without a cycle is kept twice', () => {
  const part = { a: 1 };
  const value = { left: part, right: part };
  expect(boundValue(value)).toBe(value);
});

test('nesting of any depth does not overflow the stack', () => {
  let value: unknown = 'bottom';
  for (let i = 0; i < 100_000; i++) value = [value];
  expect(JSON.stringify(boundValue(value))).toContain('{"$deep":true}');
});

test('a value that JSON cannot represent is replaced by its kind', () => {
  async function* items() {
    yield 1;
  }
  const value = {
    big: 12n,
    nan: Number.NaN,
    fn: Math.max,
    map: new Map(),
    stream: items(),
    error: new TypeError('no'),
  };
  expect(boundValue(value)).toEqual({
    big: { $bigint: '12' },
    nan: { $number: 'NaN' },
    fn: { $function: 'max' },
    map: { $object: 'Map' },
    stream: { $stream: true },
    error: { $error: { name: 'TypeError', message: 'no' } },
  });
});

test('a date is kept as JSON writes it', () => {
  expect(boundValue({ at: new Date(0) })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
});

test('a value that throws when it is read is replaced by its error', () => {
  const value = {
    get trap(): never {
      throw new Error('boom');
    },
  };
  expect(boundValue(value)).toEqual({ $unreadable: 'boom' });
});

test('credentials in headers are masked, also in large values', () => {
  const headers = { Authorization: 'Bearer s3cret', cookie: 'a=s3cret', accept: '*/*' };
  expect(boundValue({ headers })).toEqual({
    headers: { Authorization: '***', cookie: '***', accept: '*/*' },
  });
  const large = boundValue({ authorization: 's3cret', body: 'x'.repeat(VALUE_LIMIT) });
  expect(JSON.stringify(large)).not.toContain('s3cret');
  expect(headers.cookie).toBe('a=s3cret');
});

test('a key that names the prototype does not change one', () => {
  const value = JSON.parse('{"__proto__":{"polluted":1},"n":1}') as Record<string, unknown>;
  value['n'] = 1n;
  const kept = boundValue(value) as object;
  expect(JSON.stringify(kept)).toBe('{"__proto__":{"polluted":1},"n":{"$bigint":"1"}}');
  expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
});

test('a value that repeats one part very often is cut like a large one', () => {
  let value: unknown = ['x'];
  for (let i = 0; i < 60; i++) value = i % 2 === 0 ? [value, value] : { a: value, b: value };
  const kept = JSON.stringify(boundValue(value));
  expect(kept).toMatch(/^\{"\$large":\{"size":\d+,"atLeast":true,"preview":/);
});
