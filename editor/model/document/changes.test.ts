import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';
import type { Flow } from '#shared/flow.ts';

function flow(parts: Partial<Flow>): Flow {
  return { format: 1, id: 'f', nodes: {}, edges: [], ...parts };
}

test('nodes are told by name with the params that differ', () => {
  const from = flow({
    nodes: { a: { operator: 'x', params: { one: 1, two: 2 } }, gone: { operator: 'x', name: 'Old' } },
  });
  const to = flow({ nodes: { a: { operator: 'x', params: { two: 3, one: 1 } }, fresh: { operator: 'y' } } });
  expect(changesBetween(from, to)).toEqual([
    { kind: 'changed', text: 'a: two' },
    { kind: 'removed', text: 'Old (gone)' },
    { kind: 'added', text: 'fresh' },
  ]);
});

test('connections and fields of the flow are told', () => {
  const nodes = { a: { operator: 'x' }, b: { operator: 'x' } };
  const from = flow({ name: 'One', nodes, edges: [{ from: 'a.out', to: 'b.in' }] });
  const to = flow({
    name: 'Two',
    nodes,
    edges: [
      { from: 'a.out', to: 'b.in', order: 2 },
      { from: 'a.error', to: 'b.in' },
    ],
  });
  expect(changesBetween(from, to)).toEqual([
    { kind: 'changed', text: 'a.out → b.in' },
    { kind: 'added', text: 'a.error → b.in' },
    { kind: 'changed', text: 'The flow: name' },
  ]);
});

test('the order of keys is no difference', () => {
  const from = flow({ nodes: { a: { operator: 'x', params: { one: { p: 1, q: 2 }, two: 2 } } } });
  const to = flow({ nodes: { a: { params: { two: 2, one: { q: 2, p: 1 } }, operator: 'x' } } });
  expect(changesBetween(from, to)).toEqual([]);
});

test('a node that was renamed is one line, with its connections and with those who read it', () => {
  const reads = (id: string) => ({ operator: 'core.map', params: { value: `{{ nodes.${id}.x }}` } });
  const from = flow({
    nodes: { old: { operator: 'x', params: { one: 1 } }, reader: reads('old') },
    edges: [{ from: 'old.out', to: 'reader.in' }],
  });
  const to = flow({
    nodes: { fresh: { operator: 'x', params: { one: 1 } }, reader: reads('fresh') },
    edges: [{ from: 'fresh.out', to: 'reader.in' }],
  });
  expect(changesBetween(from, to)).toEqual([{ kind: 'changed', text: 'fresh: was called old' }]);
});
