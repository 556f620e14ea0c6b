import { produce } from 'immer';
import { expect, test } from 'vitest';
import type { Doc } from './document.ts';
import { watched, watchNodes, watchOf } from './watch.ts';

const picture = { $file: 'f_new00000000000000000000000000001', name: 'a.png', type: 'image/png', bytes: 4 };

test.each([
  ['a text', 'hello', ['text']],
  ['a number', 3, ['text']],
  ['rows', [{ a: 'x' }, { a: 'y' }], ['table', 'text']],
  [
    'rows with numbers',
    [
      { a: 'x', n: 1 },
      { a: 'y', n: 2 },
    ],
    ['table', 'chart', 'text'],
  ],
  ['numbers', [1, 2, 3], ['chart', 'text']],
  ['one number in a list', [1], ['text']],
  ['a picture', picture, ['picture', 'text']],
  ['another file', { ...picture, type: 'text/csv' }, ['text']],
])('%s can be shown in these ways', (_name, value, views) => {
  expect(watched(value).views).toEqual(views);
});

test('the first column that has only numbers is drawn', () => {
  const rows = [
    { a: 1, b: 5 },
    { a: null, b: 6 },
  ];
  expect(watched(rows).numbers).toEqual({ name: 'b', values: [5, 6] });
});

test('that a node is watched is part of the layout', () => {
  const doc: Doc = {
    flow: { format: 1, id: 'a', nodes: {}, edges: [] },
    layout: { format: 1, nodes: { a: { x: 1, y: 2 }, b: { x: 0, y: 0, watch: 'film' } } },
  };
  const on = produce(doc, (draft) => watchNodes(draft, ['a'], 'table'));
  expect(on.layout.nodes['a']).toEqual({ x: 1, y: 2, watch: 'table' });
  expect([watchOf(doc, 'a'), watchOf(on, 'a'), watchOf(on, 'b')]).toEqual([undefined, 'table', 'auto']);
  expect(produce(on, (draft) => watchNodes(draft, ['a'], undefined))).toEqual(doc);
});
