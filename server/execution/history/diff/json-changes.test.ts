import { expect, test } from 'vitest';
import { excerpt, jsonChanges, valueText } from './json-changes.ts';

test('differences are named from the outside in', () => {
  expect(jsonChanges('a', { b: [1, { c: 2 }], 'd e': 3 }, { b: [1, { c: 4 }, 5] })).toEqual([
    { place: 'a.b[1].c', before: 2, after: 4 },
    { place: 'a.b[2]', before: undefined, after: 5 },
    { place: 'a["d e"]', before: 3, after: undefined },
  ]);
});

test('a key that every object inherits exists only where it is written', () => {
  expect(jsonChanges('a', {}, { constructor: 1 })).toEqual([
    { place: 'a.constructor', before: undefined, after: 1 },
  ]);
  expect(jsonChanges('a', { toString: 'x' }, { toString: 'x' })).toEqual([]);
});

test('long values are cut for people', () => {
  expect(excerpt(valueText('x'.repeat(300)))).toHaveLength(201);
  expect(valueText(undefined)).toBe('nothing');
});
