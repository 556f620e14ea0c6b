import { expect, test } from 'vitest';
import {
  freshFieldName,
  requestFields,
  renamedField,
  typeByName,
  withRequestFields,
} from './request-fields.ts';

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'user name', minLength: 1 },
    age: { type: 'integer', default: 18, minimum: 0 },
  },
};

test('a request schema is a list of fields, and the list is the same schema again', () => {
  const fields = requestFields(schema) ?? [];
  expect(
    fields.map(({ name, type, required, defaultValue }) => [name, type, required, defaultValue]),
  ).toEqual([
    ['name', 'string', true, undefined],
    ['age', 'integer', false, 18],
  ]);
  expect(withRequestFields(schema, fields)).toEqual(schema);
});

test('without a schema there are no fields, and a first one makes the schema', () => {
  expect(requestFields(undefined)).toEqual([]);
  const field = {
    name: 'q',
    type: 'string',
    required: true,
    defaultValue: undefined,
    description: '',
    schema: {},
  } as const;
  expect(withRequestFields(undefined, [field])).toEqual({
    type: 'object',
    required: ['q'],
    properties: { q: { type: 'string' } },
  });
});

test('keywords that the list does not show stay, those of another type go with the type', () => {
  const [name, age] = requestFields(schema) ?? [];
  if (!name || !age) throw new Error('two fields');
  const changed = withRequestFields(schema, [
    { ...name, description: 'a' },
    { ...age, type: 'string', defaultValue: undefined },
  ]);
  expect(changed['properties']).toEqual({
    name: { type: 'string', minLength: 1, description: 'a' },
    age: { type: 'string' },
  });
});

test.each([
  ['a choice of schemas', { oneOf: [] }],
  ['a reference', { type: 'object', properties: { a: { type: 'string' } }, $defs: {} }],
  ['something else than an object', { type: 'array' }],
  ['a field of several types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }],
  ['no schema at all', 'text'],
])('%s is edited as JSON', (_, odd) => {
  expect(requestFields(odd)).toBeUndefined();
});

test('a new field gets a name that is free', () => {
  const fields = requestFields({ properties: { field: {}, field_2: {} } }) ?? [];
  expect(freshFieldName(fields)).toBe('field_3');
  expect(freshFieldName([])).toBe('field');
});

test.each([
  ['amount', 'number'],
  ['total_price', 'number'],
  ['orderCount', 'number'],
  ['is_member', 'boolean'],
  ['confirmed', 'boolean'],
  ['tags', 'array'],
  ['file', 'file'],
  ['amount_text', 'string'],
  ['price list', 'array'],
  ['name', 'string'],
  ['', 'string'],
  ['заказ', 'string'],
])('a new field called %s is taken for a %s', (name, type) => {
  expect(typeByName(name)).toBe(type);
});

test.each([
  ['has_limit', 'boolean'],
  ['has_file', 'boolean'],
  ['amount_2', 'number'],
])('a new field called %s is taken for a %s, whatever stands behind', (name, type) => {
  expect(typeByName(name)).toBe(type);
});

test('the type of a field follows its name only while nobody has set more of it', () => {
  const [field] = requestFields({ properties: { field: { type: 'string' } } }) ?? [];
  if (!field) throw new Error('There is no field.');
  const renamed = renamedField(field, 'amount');
  expect(renamed).toMatchObject({ name: 'amount', type: 'number' });
  expect(renamedField(renamed, 'note')).toMatchObject({ name: 'note', type: 'string' });
  const text = { ...field, defaultValue: 'none' };
  expect(renamedField(text, 'amount'), 'its default is a text').toMatchObject({ type: 'string' });
  const [place] = requestFields({ properties: { place: { type: 'object', properties: {} } } }) ?? [];
  if (!place) throw new Error('There is no field.');
  expect(renamedField(place, 'address')).toEqual({ ...place, name: 'address' });
});
