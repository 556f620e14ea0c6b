import { expect, test } from 'vitest';
import { fittingField } from './edge-type.ts';
import { fromSchema } from './schema.ts';

const TEXT = fromSchema({ type: 'string' });
const answer = fromSchema({
  type: 'object',
  properties: { method: { type: 'string' }, body: {} },
  required: ['method', 'body'],
});

test('the only field that fits is none where another one could, of which nothing is known', () => {
  expect(fittingField(answer, TEXT, { name: 'in', isOnly: true })).toBeUndefined();
  expect(fittingField(answer, TEXT, { name: 'in', isOnly: false })).toEqual(['method']);
  expect(fittingField(answer, TEXT, { name: 'method', isOnly: true }), 'by its name').toEqual(['method']);
});

test('a field that a value may lack is taken where it is the only one: the value itself does not fit at all', () => {
  const form = fromSchema({ type: 'object', properties: { orders: { type: 'string' } } });
  expect(fittingField(form, TEXT, { name: 'in', isOnly: true })).toEqual(['orders']);
});
