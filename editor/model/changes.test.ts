import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';
import type { Doc } from './document.ts';

function doc(flow: Partial<Doc['flow']>): Doc {
  return { flow: { format: 1, id: 'f', nodes: {}, edges: [], ...flow }, layout: { format: 1, nodes: {} } };
}

test('nodes are told by name with the params that differ', () => {
  const from = doc({
    nodes: { a: { operator: 'x', params: { one: 1, two: 2 } }, gone: { operator: 'x', name: 'Old' } },
  });
  const to = doc({ nodes: { a: { operator: 'x', params: { two: 3, one: 1 } }, fresh: { operator: 'y' } } });
  expect(changesBetween(from, to)).toEqual([
    { kind: 'changed', text: 'a: two' },
    { kind: 'added', text: 'fresh' },
    { kind: 'removed', text: 'Old (gone)' },
  ]);
});

test('connections and fields of the flow are told', () => {
  const nodes = { a: { operator: 'x' }, b: { operator: 'x' } };
  const from = doc({ name: 'One', nodes, edges: [{ from: 'a.out', to: 'b.in' }] });
  const to = doc({
    name: 'Two',
    nodes,
    edges: [
      { from: 'a.out', to: 'b.in', order: 2 },
      { from: 'a.error', to: 'b.in' },
    ],
  });
  expect(changesBetween(from, to)).toEqual([
    { kind: 'changed', text: 'The flow: name' },
    { kind: 'added', text: 'a.error → b.in' },
    { kind: 'changed', text: 'a.out → b.in' },
  ]);
});

test('places and the order of keys are no differences', () => {
  const from = doc({ nodes: { a: { operator: 'x', params: { one: { p: 1, q: 2 }, two: 2 } } } });
  const to: Doc = {
    ...doc({ nodes: { a: { params: { two: 2, one: { q: 2, p: 1 } }, operator: 'x' } } }),
    layout: { format: 1, nodes: { a: { x: 5, y: 5 } } },
  };
  expect(changesBetween(from, to)).toEqual([]);
});
