import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { plainValues } from './testing/plain-values.ts';

const values = plainValues();
const back = (value: unknown): unknown => values.read(values.write(value));
const refused = (value: unknown): string => {
  try {
    return `It was taken: ${values.write(value, 'The result of step a')}`;
  } catch (error) {
    expect(error).toMatchObject({ code: 'durable_not_serialisable' });
    return (error as Error).message;
  }
};

test('a written value comes back equal, or is refused', () => {
  class Point {
    x = 1;
  }
  // JSON has one zero.
  const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
  const plain = fc.oneof(json, fc.uint8Array(), fc.constantFrom(undefined, Number.NaN));
  const odd = fc.constantFrom<unknown>(
    new Date(0),
    new Map([[1, 2]]),
    new Set([1]),
    new Point(),
    /x/,
    1n,
    Symbol('s'),
    () => 1,
  );
  const holding = (leaf: fc.Arbitrary<unknown>) =>
    fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf));
  fc.assert(
    fc.property(holding(plain), (value) => {
      expect(back(value)).toEqual(value);
    }),
  );
  fc.assert(
    fc.property(odd, fc.string(), (value, name) => {
      expect(refused({ [name]: [value] })).toContain(' at ');
    }),
  );
});

test('holes of a list come back as undefined, and a field without a value as none', () => {
  const holes: unknown[] = [];
  holes[2] = 'x';
  expect(back(holes)).toEqual([undefined, undefined, 'x']);
  expect(back({ a: undefined })).toEqual({});
});

test('a refusal names the step, the place and the kind of value', () => {
  expect(refused({ value: { rows: [{}, { 'created at': new Date(0) }] } })).toMatch(
    /^The result of step a of a durable run holds a Date at value\.rows\[1\]\["created at"\], which JSON/,
  );
  expect(refused({ value: 1n })).toContain('a bigint at value');
  expect(refused({ value: Object.create(new Map()) as unknown })).toContain('a Map at value');
  const round: Record<string, unknown> = {};
  round['again'] = round;
  expect(refused({ value: round })).toContain('an object within itself');
});

test('a value that is too long is refused by name', () => {
  expect(() => values.write('x'.repeat(10_000_001), 'The result of step a')).toThrow(
    expect.objectContaining({
      code: 'durable_result_too_large',
      message: expect.stringMatching(/^The result of step a of a durable run takes 10000\d+ characters/),
    }),
  );
});
