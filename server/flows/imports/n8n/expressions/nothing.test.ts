import { expect, test } from 'vitest';
import { freeNames, isNothing, unknownNames } from './nothing.ts';

test.each([
  ['a + b.c[d] + { e: f, g }.h', ['a', 'b', 'd', 'f', 'g']],
  ['list.map(({ x, y = z }, i) => x + i)', ['list', 'z']],
  [
    '(() => { const a = 1; let [b] = c; function d(e) { return e + f; } try { g(); } catch (h) { h(); } })()',
    ['c', 'f', 'g'],
  ],
  ['`a ${b} c`', ['b']],
  ['voice id', []],
])('names that %s uses', (source, names) => {
  expect(freeNames(source)).toEqual(names);
});

test.each([
  ['COMPANY', true],
  ['COMPANY.name', true],
  ['$credentials.api.key', true],
  ['$prevNode("A").json', false],
  ['$memory?.x()', true],
  ['$json.a', false],
  ['COMPANY || 1', false],
  ['JSON.x', false],
  ['undefined', false],
])('%s is nothing: %s', (source, is) => {
  expect(isNothing(source)).toBe(is);
});

test('names that are undefined there', () => {
  expect(unknownNames('$json.a || $memory || NAME || Math.PI || $now || $("A").first()')).toEqual([
    '$memory',
    'NAME',
  ]);
});
