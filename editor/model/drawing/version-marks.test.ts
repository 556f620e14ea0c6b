import { expect, test } from 'vitest';
import { diffFlows } from '#engine/edit';
import type { Flow } from '#shared/flow.ts';
import { coverageMarks } from './coverage-marks.ts';
import { drawnTogether } from './version-marks.ts';

const node = (template: string) => ({ operator: 'text.template', params: { template } });
const flow = (nodes: Flow['nodes'], edges: Flow['edges'] = []): Flow => ({
  format: 1,
  id: 'f',
  nodes,
  edges,
});

const drawn = (before: Flow, after: Flow) => drawnTogether(before, after, diffFlows(before, after));

test('what was added, removed and changed is marked, and what was removed is drawn', () => {
  const before = flow({ a: node('1'), b: node('2'), c: node('3') }, [{ from: 'a.out', to: 'b.in' }]);
  const after = flow({ a: node('1'), c: node('4'), d: node('5') }, [{ from: 'a.out', to: 'c.in' }]);
  const { flow: both, marks } = drawn(before, after);
  expect(marks.nodes).toEqual({ b: 'removed', c: 'changed', d: 'added' });
  expect(marks.edges).toEqual({ 'a.out>b.in': 'removed', 'a.out>c.in': 'added' });
  expect(both.nodes['b']).toEqual(before.nodes['b']);
  expect(both.edges).toContainEqual({ from: 'a.out', to: 'b.in' });
  expect(after.nodes['b'], 'the version itself stays as it is').toBeUndefined();
});

test('a renamed node is the changed one, and its edges are as they were', () => {
  const before = flow({ a: node('1'), b: node('2') }, [{ from: 'a.out', to: 'b.in' }]);
  const after = flow({ a: node('1'), last: node('2') }, [{ from: 'a.out', to: 'last.in' }]);
  const { flow: both, marks } = drawn(before, after);
  expect(marks).toMatchObject({ nodes: { last: 'changed' }, edges: {} });
  expect(Object.keys(both.nodes)).toEqual(['a', 'last']);
});

test('an edge that only got another order is drawn once, as changed', () => {
  const nodes = { a: node('1'), b: node('2') };
  const before = flow(nodes, [{ from: 'a.out', to: 'b.in', order: 1 }]);
  const after = flow(nodes, [{ from: 'a.out', to: 'b.in', order: 2 }]);
  const { flow: both, marks } = drawn(before, after);
  expect(marks.edges).toEqual({ 'a.out>b.in': 'changed' });
  expect(both.edges).toHaveLength(1);
});

test('what no test goes through is marked where the canvas looks for it', () => {
  const part = (missed: string[]) => ({ hit: 0, of: 2, missed });
  const coverage = { nodes: part(['b']), edges: part(['a.out > b.in']), branches: part(['a.out']) };
  expect(coverageMarks(coverage)).toEqual({
    nodes: { b: 'untested' },
    edges: { 'a.out>b.in': 'untested' },
  });
});

test('nodes of bodies are marked by themselves, besides the node around them', () => {
  const loop = (nodes: Flow['nodes']) => ({
    operator: 'data.for-each',
    body: { start: 'item', nodes, edges: [] },
  });
  const before = flow({ loop: loop({ a: node('1'), b: node('2') }) });
  const after = flow({ loop: loop({ a: node('9'), b: node('2'), c: node('3') }) });
  expect(drawn(before, after).marks.nodes).toEqual({ loop: 'changed', a: 'changed', c: 'added' });
});
