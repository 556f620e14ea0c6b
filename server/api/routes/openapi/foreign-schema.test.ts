import { fc } from '../../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { foreignSchema } from './foreign-schema.ts';

const place = '#/components/schemas/x';

test('references into the schema lead to where it stands in the document', () => {
  const schema = {
    $defs: { a: { type: 'string' } },
    properties: { one: { $ref: '#/$defs/a' }, whole: { $ref: '#' } },
  };
  expect(foreignSchema(schema, place)).toEqual({
    $defs: { a: { type: 'string' } },
    properties: { one: { $ref: `${place}/$defs/a` }, whole: { $ref: place } },
  });
});

test('references to elsewhere are left out, and so are names that would change what references mean', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'https://example.com/it',
    items: { $ref: 'https://example.com/other.json', type: 'string' },
    anyOf: [{ $ref: 'other.json' }, { $dynamicRef: '#meta' }],
  };
  expect(foreignSchema(schema, place)).toEqual({ items: { type: 'string' }, anyOf: [{}, {}] });
});

test('fields that are called like keywords are fields, and data that looks like a reference is data', () => {
  const schema = {
    properties: {
      $ref: { type: 'string' },
      id: { type: 'string' },
      default: { $ref: '#/$defs/a' },
      const: { const: { $ref: '#/nowhere' } },
    },
    default: { $ref: 'https://example.com' },
    enum: [{ $id: 'kept' }],
  };
  expect(foreignSchema(schema, place)).toEqual({
    ...schema,
    properties: { ...schema.properties, default: { $ref: `${place}/$defs/a` } },
  });
});

test('whatever the schema, it can be written, and no reference leads out of the document', () => {
  const any = fc.object({
    key: fc.constantFrom('$ref', 'properties', 'items', 'anyOf', '$id', 'enum', 'type', '__proto__'),
    values: [fc.constantFrom('#', '#/a', 'http://x/y', 'z', 1, true, null)],
    maxDepth: 6,
  });
  fc.assert(
    fc.property(any, (schema) => {
      const found = foreignSchema(schema, place);
      for (const reference of references(JSON.parse(JSON.stringify(found)), false))
        expect(reference.startsWith(place)).toBe(true);
    }),
  );
});

/** Texts in the places of references; `named` if keys are names of fields. */
function references(value: unknown, named: boolean): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!named && key === 'enum') return [];
    if (!named && key === '$ref') return typeof inner === 'string' ? [inner] : [];
    return references(inner, !named && key === 'properties' && !Array.isArray(inner));
  });
}
