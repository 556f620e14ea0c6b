import { expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { boxOfNode, NODE_WIDTH } from './geometry.ts';
import { placeMissing } from './place-missing.ts';
import { catalog } from '../testing/catalog.ts';
import { docOf } from '../testing/docs.ts';

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
  // There is no room beside `b`, which has a position.
  expect(doc.layout.nodes).toEqual({ a: { x: 0, y: 120 }, b: { x: 5, y: 7 }, c: { x: 680, y: 10 } });
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
  expect(Object.keys(doc.layout.nodes).sort()).toEqual(['a', 'b']);
});

test('nodes of any size and any edges lie over no other, also where some have their places', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const operator = fc.constantFrom(...Object.keys(catalog.operators), 'not.there');
  const edge = fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids), fc.constantFrom('in', 'x', 'y'));
  const flow = fc.tuple(
    fc.tuple(...ids.map(() => operator)),
    fc.array(edge, { maxLength: 10 }),
    fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 2 }),
  );
  fc.assert(
    fc.property(flow, ([operators, edges, kept]) => {
      const whole = docOf(
        Object.fromEntries(ids.map((id, i) => [id, operators[i] as string])),
        edges.map(([from, to, port]) => `${from}.out>${to}.${port}`),
      );
      const places = Object.fromEntries(kept.map((id, i) => [id, { x: i * 400, y: 30 }]));
      const doc = placeMissing({ ...whole, layout: { format: 1, nodes: places } }, catalog);
      expect(doc.layout.nodes).toMatchObject(places);
      const boxes = ids.map((id) => ({
        ...doc.layout.nodes[id],
        height: boxOfNode(doc, catalog, id).height,
      }));
      for (const [i, { x = 0, y = 0, height }] of boxes.entries())
        for (const other of boxes.slice(i + 1)) {
          const isApart = Math.abs((other.x ?? 0) - x) >= NODE_WIDTH;
          const over = other.y ?? 0;
          expect(isApart || over >= y + height || y >= over + other.height).toBe(true);
        }
    }),
    { numRuns: 200 },
  );
});
