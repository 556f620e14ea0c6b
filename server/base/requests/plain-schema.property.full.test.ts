import { expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonSchema } from '#shared/json.ts';
import { plainCheck } from './plain-schema.ts';

/** Mostly sound, since one malformed part makes the whole schema so. */
const sound = <T, O>(right: fc.Arbitrary<T>, odd: fc.Arbitrary<O>) =>
  fc.oneof<[fc.WeightedArbitrary<T>, fc.WeightedArbitrary<O>]>(
    { arbitrary: right, weight: 24 },
    { arbitrary: odd, weight: 1 },
  );
const limit = sound(fc.integer({ min: 0, max: 4 }), fc.constantFrom(-1, 0.5, '2', null));
const scalar = fc.constantFrom<unknown>(
  '',
  'a',
  'ab',
  '😀',
  '\ud83d',
  0,
  1,
  2,
  0.5,
  -1,
  1e300,
  true,
  false,
  null,
);
const name = sound(fc.constantFrom('a', 'b', 'constructor'), fc.constant('__proto__'));
const type = sound(
  fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object'),
  fc.constant('other'),
);

const { schema, value } = fc.letrec<{ schema: JsonSchema; value: unknown }>((tie) => ({
  schema: fc
    .record(
      {
        type: fc.oneof(type, sound(fc.uniqueArray(type, { minLength: 1, maxLength: 3 }), fc.array(type))),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
        required: sound(fc.uniqueArray(name, { maxLength: 2 }), fc.array(name, { maxLength: 2 })),
        items: sound(tie('schema'), fc.boolean()),
        enum: sound(
          fc.uniqueArray(scalar, { minLength: 1, maxLength: 6 }),
          fc.array(fc.oneof(scalar, fc.constant([])), { maxLength: 3 }),
        ),
        additionalProperties: sound(fc.constant(true), fc.constant(false)),
        minimum: limit,
        maximum: limit,
        exclusiveMinimum: limit,
        exclusiveMaximum: limit,
        minLength: limit,
        maxLength: limit,
        minItems: limit,
        maxItems: limit,
        pattern: fc.constant('a'),
        not: fc.constant({ type: 'string' }),
        title: fc.constant('T'),
        default: scalar,
      },
      { requiredKeys: [] },
    )
    .map((all) => Object.fromEntries(Object.entries(all).filter((_, i) => i < 4))),
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    scalar,
    fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'value' }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, depthIdentifier: 'value' }),
  ),
}));

const ajv = new Ajv2020({ strict: false, strictNumbers: false, ownProperties: true, logger: false });

test('a plainly valid value is valid, and no malformed schema is plain', () => {
  let plain = 0;
  let accepted = 0;
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 5, maxLength: 20 }), (one, values) => {
      const check = plainCheck(one);
      if (check === undefined) return;
      plain++;
      const validate = ajv.compile(one);
      for (const each of values) {
        if (!check(each)) continue;
        accepted++;
        expect(validate(each), JSON.stringify([one, each])).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
  // About a hundred of each, by chance, so that the law was not tested on nothing.
  expect(plain).toBeGreaterThan(20);
  expect(accepted).toBeGreaterThan(20);
});

test('a right value of an everyday schema is plainly valid', () => {
  const check = plainCheck({
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1 },
      age: { type: 'integer', default: 18, minimum: 0 },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 3 },
    },
  });
  expect(check?.({ name: 'Ada', age: 36, tags: ['a'], other: 1 })).toBe(true);
  expect(check?.({ name: '', age: 36 })).toBe(false);
  expect(check?.({ age: 36 })).toBe(false);
});

test.each([{ format: 'email' }, { $ref: '#/x' }, { anyOf: [] }, { widget: 1 }, { items: true }])(
  'a schema with more is not plain: %j',
  (more) => {
    expect(plainCheck({ type: 'string', ...more })).toBeUndefined();
  },
);
