import { produce } from 'immer';
import { expect, test } from 'vitest';
import { flowGraph, incoming } from '#engine/check';
import { edgeId } from './document.ts';
import { moveEdge } from './edge-order.ts';
import { docOf } from '../testing/docs.ts';

const doc = docOf({ a: 'core.log', b: 'core.log', c: 'core.log', merge: 'core.merge' }, [
  'a.out>merge.in',
  'b.out>merge.in',
  'c.out>merge.in',
]);
const order = (of: typeof doc) => incoming(flowGraph(of.flow), 'merge').map((edge) => edge.from);
const moved = (from: string, by: number) =>
  produce(doc, (draft) => moveEdge(draft, edgeId({ from: `${from}.out`, to: 'merge.in' }), by));

test('an edge moves among those of its input', () => {
  expect(order(doc)).toEqual(['a', 'b', 'c']);
  expect(order(moved('c', -1))).toEqual(['a', 'c', 'b']);
  expect(order(moved('a', 2))).toEqual(['b', 'c', 'a']);
});

test('an edge does not move past the ends', () => {
  expect(moved('a', -1)).toBe(doc);
  expect(moved('c', 1)).toBe(doc);
});
