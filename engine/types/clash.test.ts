import { expect, test } from 'vitest';
import { formatPath } from '../flow/field-path.ts';
import { clashOf } from './clash.ts';
import { fromSchema, typeOfJson } from './schema.ts';
import { shortType } from './words.ts';

const text = { type: 'string' };
const address = {
  type: 'object',
  required: ['city'],
  properties: { city: text, zip: { type: 'integer' }, tags: { type: 'array', items: text } },
};

/** `where: expected <- found`, with `?` if it may still fit. */
function clash(value: unknown, schema: object): string | undefined {
  const found = clashOf(typeOfJson(value), fromSchema(schema));
  if (!found) return undefined;
  const what = found.found ? shortType(found.found) : 'missing';
  return `${formatPath(found.path)}: ${shortType(found.expected)} <- ${what}${found.certain ? '' : '?'}`;
}

test.each([
  ['a value of the kind', 'Ada', text, undefined],
  ['a value of another kind', 3, text, ': string <- 3'],
  ['a whole number where any number is taken', 3, { type: 'number' }, undefined],
  ['a fraction where a whole number is taken', 1.5, { type: 'integer' }, ': integer <- 1.5'],
  ['a choice that is none', 'x', { enum: ['a', 'b'] }, ': "a" | "b" <- "x"'],
  ['one of several kinds', null, { type: ['string', 'null'] }, undefined],
  ['a field of another kind', { city: 3 }, address, 'city: string <- 3'],
  ['a field that is missing', { zip: 1 }, address, 'city: string <- missing'],
  ['a field that may be missing, of another kind', { city: 'x', zip: 'y' }, address, 'zip: integer <- "y"'],
  ['fields that are not asked for', { city: 'x', more: 1 }, address, undefined],
  ['elements of another kind', { city: 'x', tags: [1] }, address, 'tags["*"]: string <- 1?'],
  ['a text where a file is taken', 'x', { type: 'object', format: 'file' }, ': file <- "x"'],
  ['an object where a file is taken', { a: 1 }, { type: 'object', format: 'file' }, ': file <- {a: 1}'],
  ['no elements', { city: 'x', tags: [] }, address, undefined],
])('%s', (_, value, schema, expected) => {
  expect(clash(value, schema)).toBe(expected);
});

test('what is not known, or fits in part, is no clash', () => {
  const schema = (more: object) => fromSchema(more);
  expect(clashOf(schema({}), schema(text))).toBeUndefined();
  expect(clashOf(schema({ type: 'integer' }), schema({}))).toBeUndefined();
  expect(clashOf(schema({ type: ['integer', 'string'] }), schema(text))).toBeUndefined();
  expect(clashOf(schema({ type: ['integer', 'null'] }), schema(text))).toMatchObject({ certain: true });
});
