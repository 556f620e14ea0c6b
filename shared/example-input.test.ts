import { fc } from '../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from './json.ts';
import { validatorFor } from '../server/base/requests/ajv.ts';
import { exampleInput } from './example-input.ts';

describe('an example for a request schema', () => {
  it('has the required fields and those with a default, and nothing else', () => {
    const schema = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        age: { type: 'integer', default: 18 },
        nick: { type: 'string' },
      },
    };
    expect(exampleInput(schema)).toEqual({ name: 'name', age: 18 });
  });

  it.each<[string, JsonSchema, unknown]>([
    ['a default', { type: 'string', default: 'Ada', enum: ['Bob', 'Ada'] }, 'Ada'],
    ['an example of the author', { type: 'string', examples: ['Oslo'] }, 'Oslo'],
    ['the first choice', { enum: ['small', 'large'] }, 'small'],
    ['a fixed value', { const: 7 }, 7],
    ['the format', { type: 'string', format: 'date' }, '2025-01-31'],
    ['the first type that is not null', { anyOf: [{ type: 'null' }, { type: 'boolean' }] }, true],
    [
      'what a reference leads to',
      { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { type: 'integer' } } } },
      [1],
    ],
    ['the smallest number', { type: 'number', exclusiveMinimum: 3.5 }, 4],
    [
      'as many elements as there must be',
      { type: 'array', minItems: 2, items: { type: 'boolean' } },
      [true, true],
    ],
    ['the parts of allOf', { allOf: [{ properties: { a: { const: 1 } }, required: ['a'] }] }, { a: 1 }],
  ])('takes %s', (_what, schema, expected) => {
    expect(exampleInput(schema)).toEqual(expected);
  });

  it('ends for a schema that refers to itself', () => {
    const tree = { type: 'object', required: ['next'], properties: { next: { $ref: '#' } } };
    expect(JSON.stringify(exampleInput(tree)).length).toBeLessThan(200);
    expect(JSON.stringify(exampleInput({ anyOf: [{ $ref: '#' }] }))?.length ?? 0).toBeLessThan(200);
  });

  it('is accepted by its own schema', () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        expect(validatorFor(schema).accepts(exampleInput(schema)), JSON.stringify(schema)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

const range = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 50 }));

const numbers = fc
  .tuple(
    fc.constantFrom('integer', 'number'),
    range,
    fc.constantFrom('both', 'exclusive', 'low', 'high', 'none'),
  )
  .map(([type, [low, width], bounds]): JsonSchema => {
    const limits: Readonly<Record<string, object>> = {
      both: { minimum: low, maximum: low + width },
      exclusive: { exclusiveMinimum: low, exclusiveMaximum: low + width + 1 },
      low: { minimum: low },
      high: { maximum: low },
    };
    return { type, ...limits[bounds] };
  });

const texts = fc.tuple(fc.nat(20), fc.nat(20), fc.boolean()).map(
  ([min, more, bounded]): JsonSchema => ({
    type: 'string',
    minLength: min,
    ...(bounded && { maxLength: min + more }),
  }),
);

const formats = fc
  .constantFrom('date', 'date-time', 'time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6', 'hostname', 'duration')
  .map((format): JsonSchema => ({ type: 'string', format }));

const leaves = fc.oneof(numbers, texts, formats, fc.constant<JsonSchema>({ type: 'boolean' }));

const { schemas } = fc.letrec<{ schemas: JsonSchema }>((tie) => ({
  schemas: fc.oneof(
    { maxDepth: 3 },
    leaves,
    fc.tuple(tie('schemas'), fc.nat(3)).map(([items, minItems]) => ({ type: 'array', items, minItems })),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie('schemas'), { maxKeys: 4 })
      .map((properties) => ({ type: 'object', properties, required: Object.keys(properties) })),
    tie('schemas').map((schema) => ({ oneOf: [schema] })),
  ),
}));
