import { produce } from 'immer';
import { expect, test } from 'vitest';
import type { Doc } from './document.ts';
import { picked, setPick } from './pick.ts';

test.each([
  [undefined, { a: [1] }],
  ['a', [1]],
  ['a[0]', 1],
  ['a[7]', undefined],
  ['b.c', undefined],
  ['constructor', undefined],
])('%s of a value', (pick, value) => {
  expect(picked({ a: [1] }, pick)).toEqual(value);
});

test('an edge carries a field until it carries the whole value again', () => {
  const edges = [{ from: 'a.out', to: 'b.in' }];
  const doc: Doc = { flow: { format: 1, id: 'x', nodes: {}, edges }, layout: { format: 1, nodes: {} } };
  const next = produce(doc, (draft) => setPick(draft, 'a.out>b.in', 'orders'));
  expect(next.flow.edges).toEqual([{ from: 'a.out', to: 'b.in', pick: 'orders' }]);
  expect(produce(next, (draft) => setPick(draft, 'a.out>b.in', ''))).toEqual(doc);
});
