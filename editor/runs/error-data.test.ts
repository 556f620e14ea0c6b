import { expect, test } from 'vitest';
import { toldData, withoutPlace } from './error-data.ts';

const operator = 'data.for-each';

test.each([
  ['a place', { node: 'a', round: 1, index: 1 }, undefined],
  ['a place in a place', { node: 'a', round: 0, index: 0, data: { node: 'b' } }, undefined],
  ['what failed there', { node: 'a', data: { node: 'b', data: { code: 7 } } }, { code: 7 }],
  [
    'a run of a called flow',
    { flow: 'f', run: 'r', node: 'a', index: 0 },
    { flow: 'f', run: 'r', node: 'a', index: 0 },
  ],
  [
    'a position in an expression',
    { node: 'a', round: 0, index: 0, data: { path: 'x', start: 0, end: 1 } },
    undefined,
  ],
  ['a text', { node: 'a', data: 'x' }, 'x'],
])('of an error in a container, %s is shown as %j', (_, data, shown) => {
  expect(toldData(withoutPlace({ operator, data }))).toEqual(shown);
});

test('data of other nodes stay as they are', () => {
  expect(withoutPlace({ operator: 'logic.stop', data: { node: 'a' } })).toEqual({ node: 'a' });
});
