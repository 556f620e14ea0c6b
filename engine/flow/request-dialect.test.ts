import { fc } from '../../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import { checkRequestSchema } from '../check/index.ts';

const nested = (depth: number): unknown => (depth === 0 ? {} : { properties: { a: nested(depth - 1) } });
const wide = (count: number) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}])),
});

describe('checkRequestSchema', () => {
  it.each<[string, unknown]>([
    [
      'the example',
      {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'user name' },
          age: { type: 'integer', default: 18 },
        },
      },
    ],
    [
      'local references, also into the value they describe',
      {
        $ref: '#/$defs/tree',
        $defs: { tree: { properties: { next: { $ref: '#/$defs/tree' }, all: { items: { $ref: '#' } } } } },
      },
    ],
    ['a reference with escapes', { properties: { 'a/b~c': {}, d: { $ref: '#/properties/a~1b~0c' } } }],
    [
      'choices',
      { anyOf: [{ type: ['string', 'null'] }, { enum: [1, 'a', null] }], additionalProperties: false },
    ],
    [
      'all the plain keywords',
      {
        minLength: 0,
        maxItems: 3,
        minimum: -1.5,
        uniqueItems: true,
        pattern: '^[\\w.-]+$',
        format: 'email',
        const: { $ref: 1 },
        default: { constructor: 1 },
      },
    ],
    ['seven levels', nested(7)],
    ['499 fields', wide(499)],
    ['1,000 choices', { enum: Array.from({ length: 1000 }, (_, i) => i) }],
  ])('allows %s', (_, schema) => {
    expect(checkRequestSchema(schema)).toEqual([]);
  });

  it.each<[string, unknown, (string | number)[]]>([
    ['a text', 'object', []],
    ['a list', [], []],
    ['an unknown keyword', { properties: { a: { typo: 1 } } }, ['properties', 'a', 'typo']],
    ['an inherited keyword', { toString: 1 }, ['toString']],
    ['a keyword of Ajv', { $data: '1' }, ['$data']],
    ['an identity that moves references', { $id: 'x' }, ['$id']],
    ['a remote reference', { items: { $ref: 'http://example.org/a' } }, ['items', '$ref']],
    ['a reference that leads nowhere', { $ref: '#/$defs/gone' }, ['$ref']],
    ['a reference to something inherited', { $ref: '#/constructor' }, ['$ref']],
    ['a reference to itself', { $ref: '#' }, ['$ref']],
    [
      'a reference to itself by a choice',
      { $defs: { a: { anyOf: [{}, { $ref: '#/$defs/a' }] } } },
      ['$defs', 'a', 'anyOf', 1, '$ref'],
    ],
    ['a field that leads to code', { properties: { constructor: {} } }, ['properties', 'constructor']],
    [
      'a field that leads to code, read from JSON',
      JSON.parse('{"properties":{"__proto__":{}}}'),
      ['properties', '__proto__'],
    ],
    ['an unknown type', { type: 'text' }, ['type']],
    ['a type twice', { type: ['string', 'string'] }, ['type']],
    ['an empty choice', { enum: [] }, ['enum']],
    ['a choice of too many', { enum: Array.from({ length: 1001 }, (_, i) => i) }, ['enum']],
    ['a count below zero', { minLength: -1 }, ['minLength']],
    ['a text for a number', { minimum: '1' }, ['minimum']],
    ['a word for a list of names', { required: 'a' }, ['required']],
    ['a name twice', { required: ['a', 'a'] }, ['required']],
    ['a bad pattern', { pattern: '(' }, ['pattern']],
    ['a bad pattern for names', { patternProperties: { '[': {} } }, ['patternProperties', '[']],
    ['a list of no schemas', { allOf: [] }, ['allOf']],
    ['a number as schema', { items: 1 }, ['items']],
    ['too many levels', nested(8), Array.from({ length: 8 }, () => ['properties', 'a']).flat()],
    ['too many schemas', wide(500), []],
    ['too long a text', { description: 'x'.repeat(70_000) }, []],
  ])('refuses %s', (_, schema, path) => {
    expect(checkRequestSchema(schema).map((fault) => fault.path)).toEqual([path]);
  });

  it('lists all faults at once', () => {
    expect(checkRequestSchema({ type: 'x', properties: { a: { nope: 1, items: 2 } } })).toHaveLength(3);
  });

  it('never throws, whatever it is given', () => {
    const keys = fc.constantFrom(
      'type',
      '$ref',
      '$defs',
      'properties',
      'items',
      'anyOf',
      'pattern',
      'x',
      'constructor',
    );
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        fc.constant('#'),
        fc.dictionary(keys, tie('schema')),
        fc.array(tie('schema')),
      ),
    }));
    fc.assert(
      fc.property(schema, (value) => {
        const faults = checkRequestSchema(value);
        for (const { message } of faults) expect(message).toMatch(/\.$/);
        expect(faults.length > 0 || typeof value === 'object').toBe(true);
      }),
    );
  });
});
