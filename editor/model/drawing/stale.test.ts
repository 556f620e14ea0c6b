import { expect, test } from 'vitest';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { catalog } from '../testing/catalog.ts';
import { NOTHING_STALE } from './marks.ts';
import { staleNodes } from './stale.ts';

const node = (template: string): FlowNode => ({ operator: 'text.template', params: { template } });
const ran: Flow = {
  format: 1,
  id: 'f',
  nodes: { start: { operator: 'trigger.http' }, a: node('a'), b: node('b'), c: node('c') },
  edges: [
    { from: 'start.out', to: 'a.in' },
    { from: 'a.out', to: 'b.in' },
    { from: 'start.out', to: 'c.in' },
  ],
};
const stale = (now: Flow) => staleNodes(ran, now, catalog);

test('an edited node and all that follow it are out of date, each with its reason', () => {
  const now = { ...ran, nodes: { ...ran.nodes, a: { ...node('other'), name: 'First' } } };
  expect(stale(now)).toEqual({
    a: 'Its settings were changed after this run.',
    b: '“First” before it was changed after this run.',
  });
});

test('another wire makes the node behind it out of date', () => {
  const edges = ran.edges.filter(({ to }) => to !== 'b.in');
  expect(stale({ ...ran, edges })).toEqual({ b: 'Its connections were changed after this run.' });
});

test('a removed node leaves what it led to out of date', () => {
  const { a: _, ...nodes } = ran.nodes;
  const edges = ran.edges.filter(({ from, to }) => !from.startsWith('a.') && !to.startsWith('a.'));
  expect(Object.keys(stale({ ...ran, nodes, edges }))).toEqual(['b']);
});

test('a name, a place or the way back changes no result', () => {
  expect(stale({ ...ran, nodes: { ...ran.nodes, a: { ...node('a'), name: 'A', description: 'x' } } })).toBe(
    NOTHING_STALE,
  );
  expect(stale(structuredClone(ran))).toBe(NOTHING_STALE);
});

test('another time zone may change every result', () => {
  const reason = 'The time zone of the flow was changed after this run.';
  expect(stale({ ...ran, settings: { timezone: 'Asia/Tokyo' } })).toMatchObject({ a: reason, b: reason });
});
