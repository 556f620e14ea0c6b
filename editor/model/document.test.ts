import { expect, test } from 'vitest';
import { placeMissing } from './document.ts';

test('nodes that nobody has placed get columns by their distance from the start', () => {
  const doc = placeMissing({
    flow: {
      format: 1,
      id: 'f',
      nodes: { a: { operator: 'x' }, b: { operator: 'x' }, c: { operator: 'x' } },
      edges: [
        { from: 'a.out', to: 'b.in' },
        { from: 'b.out', to: 'c.in' },
      ],
    },
    layout: { format: 1, nodes: { b: { x: 5, y: 7 } } },
  });
  expect(doc.layout.nodes).toEqual({ a: { x: 0, y: 0 }, b: { x: 5, y: 7 }, c: { x: 600, y: 0 } });
});

test('placing ends on a cycle too', () => {
  const doc = placeMissing({
    flow: {
      format: 1,
      id: 'f',
      nodes: { a: { operator: 'x' }, b: { operator: 'x' } },
      edges: [
        { from: 'a.out', to: 'b.in' },
        { from: 'b.out', to: 'a.in' },
      ],
    },
    layout: { format: 1, nodes: {} },
  });
  expect(Object.keys(doc.layout.nodes)).toEqual(['a', 'b']);
});
