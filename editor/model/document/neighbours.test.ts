import { expect, test } from 'vitest';
import { firstNode, neighbourOf, withDownstream, withUpstream } from './neighbours.ts';
import { docOf } from '../testing/docs.ts';

const doc = docOf(
  { a: 'trigger.http', b: 'text.template', c: 'text.template', d: 'core.merge', lonely: 'core.log' },
  ['a.out>b.in', 'a.out>c.in', 'b.out>d.in', 'c.out>d.in'],
  {
    a: { x: 0, y: 0 },
    b: { x: 300, y: 0 },
    c: { x: 300, y: 200 },
    d: { x: 600, y: 100 },
    lonely: { x: 0, y: 500 },
  },
);

test('everything before a node is what its edges lead back to, itself included', () => {
  expect([...withUpstream(doc, ['d'])].sort()).toEqual(['a', 'b', 'c', 'd']);
  expect([...withUpstream(doc, ['b'])].sort()).toEqual(['a', 'b']);
});

test('everything after a node is what its edges lead to, itself included', () => {
  expect([...withDownstream(doc, ['b', 'lonely'])].sort()).toEqual(['b', 'd', 'lonely']);
});

test('right and left follow the edges, to the nearest end', () => {
  expect(neighbourOf(doc, 'a', 'right')).toBe('b');
  expect(neighbourOf(doc, 'd', 'left')).toBe('b');
});

test('up and down go to the nearest node there, and to none where there is none', () => {
  expect(neighbourOf(doc, 'b', 'down')).toBe('c');
  expect(neighbourOf(doc, 'c', 'up')).toBe('b');
  expect(neighbourOf(doc, 'lonely', 'down')).toBeUndefined();
});

test('without an edge, left and right go by the place', () => {
  expect(neighbourOf(doc, 'lonely', 'right')).toBe('c');
});

test('the first node is the leftmost, then the uppermost one', () => {
  expect(firstNode(doc)).toBe('a');
  expect(firstNode(docOf({}))).toBeUndefined();
});
