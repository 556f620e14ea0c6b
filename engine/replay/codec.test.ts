import { fc } from '../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { WeftError } from '../base/errors.ts';
import { codedSize, decode, decodeError, encode, encodeError } from './codec.ts';

const nothing = (): undefined => undefined;
const back = (value: unknown): unknown => decode(JSON.parse(JSON.stringify(encode(value))), nothing);

test('what JSON holds, bytes and numbers that are none come back as they were', () => {
  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.uint8Array({ maxLength: 20 }),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    fc.record({ $bytes: fc.string(), $none: fc.boolean() }),
  );
  const keeps = fc.property(fc.dictionary(fc.string(), leaf), (value) => {
    expect(back(value)).toEqual(zeroed(value));
  });
  fc.assert(keeps, { numRuns: 200 });
});

/** JSON has only one zero. */
function zeroed(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(zeroed);
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, zeroed(field)]));
}

test('bytes of any length come back, and functions as nothing', () => {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, i) => i % 256);
  expect(back({ bytes, fn: nothing })).toEqual({ bytes, fn: undefined });
});

test('an error keeps its code, place and data', () => {
  const error = new WeftError('bad_input', 'no', { field: 'params.a', data: { n: 1 }, transient: true });
  expect(decodeError(encodeError(error))).toMatchObject({
    code: 'bad_input',
    message: 'no',
    field: 'params.a',
    data: { n: 1 },
    transient: true,
  });
  expect(decodeError(encodeError('odd'))).toMatchObject({ message: 'odd' });
});

test('the size of what is noted is never less than a third of its JSON without escapes', () => {
  const plain = fc.jsonValue({ stringUnit: fc.constantFrom('a', 'b', 'ü') });
  fc.assert(
    fc.property(plain, (value) => {
      const coded = encode(value);
      expect(3 * codedSize(coded)).toBeGreaterThanOrEqual(JSON.stringify(coded).length);
    }),
    { numRuns: 200 },
  );
});
