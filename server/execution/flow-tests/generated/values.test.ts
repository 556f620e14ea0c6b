import { expect, test } from 'vitest';
import { fc } from '../../../../tests/support/property.ts';
import { validatorFor } from '../../../base/requests/ajv.ts';
import { fromPattern } from './text-values.ts';
import { chanceOf, simpler, valueFor } from './values.ts';

const order = {
  type: 'object',
  required: ['id', 'lines', 'when'],
  properties: {
    id: { type: 'string', pattern: '^[A-Z]{2}-\\d{3,5}(?:-x)?$' },
    when: { type: 'string', format: 'date-time' },
    mail: { anyOf: [{ type: 'string', format: 'email' }, { type: 'null' }] },
    lines: { type: 'array', minItems: 1, maxItems: 3, items: { $ref: '#/$defs/line' } },
    kind: { enum: ['a', 'b'] },
    rate: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    tags: { type: 'array', uniqueItems: true, items: { type: 'string', minLength: 2, maxLength: 4 } },
    more: { type: 'object', additionalProperties: { type: 'boolean' } },
    pair: { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'boolean' }], items: false },
    both: {
      allOf: [
        { type: 'object', required: ['a'], properties: { a: { const: 1 } } },
        { properties: { b: { type: 'null' } } },
      ],
    },
  },
  $defs: {
    line: {
      type: 'object',
      required: ['n'],
      properties: { n: { type: 'integer', minimum: 1, multipleOf: 3 }, name: { type: ['string', 'null'] } },
    },
  },
} as const;

test('nearly all values match their schema', () => {
  const validator = validatorFor(order);
  const values = Array.from({ length: 300 }, (_, seed) =>
    valueFor(order, { root: order, chance: chanceOf(seed), optional: 0.7 }),
  );
  const wrong = values.filter((value) => !validator.accepts(value));
  expect(wrong.length, JSON.stringify(wrong[0])).toBeLessThan(15);
  // The limits are among them.
  const text = JSON.stringify(values);
  for (const part of ['"n":3', '"rate":1', '"kind":"b"', '"mail":null', '"b":null', '"lines":[{'])
    expect(text).toContain(part);
});

test('the same seed makes the same value', () => {
  const make = (seed: number) => valueFor(order, { root: order, chance: chanceOf(seed), optional: 0.5 });
  expect(make(7)).toEqual(make(7));
  expect(make(7)).not.toEqual(make(8));
});

test.each([
  '^a+$',
  '[^a-z]{3}',
  '(?:ab|cd)?x{2,}',
  '\\w+@\\w+\\.(com|org)',
  '^[\\d\\-+ ]{5,9}$',
  '[]a]b',
  '^$',
])('a text is made for the pattern %s', (pattern) => {
  for (let seed = 0; seed < 50; seed++)
    expect(fromPattern(pattern, chanceOf(seed))).toMatch(new RegExp(pattern.replace('[]a]', '[\\]a]')));
});

test.each([
  { type: 'string', pattern: '^((a{1000}){1000}){1000}$' },
  { type: 'string', minLength: 2e9 },
  { type: 'object', minProperties: 2e9 },
  ['x', 'y', 'z'].reduce((items) => ({ type: 'array', minItems: 10_000, items }), { type: 'boolean' }),
])('any schema gives a small value in few steps: case %#', (schema) => {
  for (let seed = 0; seed < 10; seed++) {
    const one = chanceOf(seed);
    let steps = 0;
    const chance = (): number => {
      steps++;
      return one();
    };
    const value = valueFor(schema, { root: schema, chance, optional: 1 });
    expect(steps).toBeLessThan(100_000);
    expect(JSON.stringify(value).length).toBeLessThan(1_000_000);
  }
});

/** A measure that cannot decrease for ever. */
function costOf(value: unknown): number {
  if (typeof value === 'string')
    return Array.from(value).reduce((sum, sign) => sum + (sign > 'a' ? 3 : 2), 0);
  if (typeof value === 'number') return Math.abs(value) * 2 + (value < 0 ? 1 : 0);
  if (typeof value !== 'object' || value === null) return value === true ? 1 : 0;
  return Object.values(value).reduce((sum: number, one) => sum + 1 + costOf(one), 0);
}

test('simpler values have a smaller measure, so shrinking ends', () => {
  const value = fc
    .jsonValue({ maxDepth: 3 })
    .map(
      (any) =>
        JSON.parse(JSON.stringify(any), (_, one: unknown) =>
          typeof one === 'number' ? Math.round((one % 1e6) * 100) / 100 : one,
        ) as unknown,
    );
  fc.assert(
    fc.property(value, (one) => {
      for (const next of simpler(one)) expect(costOf(next), JSON.stringify(next)).toBeLessThan(costOf(one));
    }),
    { numRuns: 200 },
  );
});
