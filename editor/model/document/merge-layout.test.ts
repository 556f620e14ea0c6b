import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { Layout } from '#shared/layout.ts';
import { mergeLayout } from './merge-layout.ts';

const note = (id: string, text: string) => ({ id, text, x: 0, y: 0 });
const base: Layout = {
  format: 1,
  nodes: { a: { x: 0, y: 0 }, b: { x: 100, y: 0 }, c: { x: 200, y: 0 } },
  notes: [note('n1', 'one'), note('n2', 'two')],
};

test('each node stands where the one has put it who has moved it', () => {
  const mine = { ...base, nodes: { ...base.nodes, a: { x: 5, y: 5 } } };
  const theirs = { ...base, nodes: { ...base.nodes, a: { x: 9, y: 9 }, b: { x: 1, y: 1 } } };
  expect(mergeLayout(base, mine, theirs).nodes).toEqual({
    a: { x: 5, y: 5 },
    b: { x: 1, y: 1 },
    c: { x: 200, y: 0 },
  });
});

test('what one has removed stays away unless the other has changed it', () => {
  const mine = { ...base, notes: [note('n2', 'two')] };
  const theirs = { ...base, notes: [note('n1', 'one'), note('n2', 'changed'), note('n3', 'three')] };
  expect(mergeLayout(base, mine, theirs).notes).toEqual([note('n2', 'changed'), note('n3', 'three')]);
  const gone = { ...base, notes: [] };
  expect(mergeLayout(base, gone, base).notes).toBeUndefined();
});

test('the viewport is mine where I have changed it', () => {
  const mine = { ...base, viewport: { x: 1, y: 2, zoom: 1 } };
  expect(mergeLayout(base, mine, base).viewport).toEqual(mine.viewport);
  expect(mergeLayout(base, base, mine).viewport).toEqual(mine.viewport);
});

const layouts = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.record({ x: fc.nat(3), y: fc.nat(3) }))
  .map((nodes): Layout => ({ format: 1, nodes }));

test('whoever has changed nothing takes the whole of the other, and who agrees keeps it', () => {
  fc.assert(
    fc.property(layouts, layouts, (from, to) => {
      expect(mergeLayout(from, from, to).nodes).toEqual(to.nodes);
      expect(mergeLayout(from, to, from).nodes).toEqual(to.nodes);
      expect(mergeLayout(from, to, to).nodes).toEqual(to.nodes);
    }),
  );
});
