import { expect, test } from 'vitest';
import { mayConnect, verdictsFor } from './connect.ts';
import { catalog } from '../testing/catalog.ts';
import { docOf } from '../testing/docs.ts';

const doc = docOf(
  {
    start: 'trigger.http',
    text: 'text.template',
    list: 'core.streamify',
    all: 'core.unstreamify',
    merge: 'core.merge',
    pass: 'core.either',
  },
  ['start.out>text.in', 'text.out>merge.in', 'text.out>list.in'],
);

function reason(from: string, to: string): string | undefined {
  const verdict = mayConnect(doc, catalog, from, to);
  return verdict.ok ? undefined : verdict.reason;
}

test.each([
  ['start.out', 'merge.in'],
  ['list.out', 'all.in'],
  ['list.out', 'pass.in'],
  ['merge.out', 'pass.in'],
])('%s may go to %s', (from, to) => {
  expect(reason(from, to)).toBeUndefined();
});

test.each([
  ['text.out', 'text.in', /feed itself/],
  ['start.out', 'text.in', /connected already/],
  ['start.out', 'list.in', /takes one edge/],
  ['merge.out', 'text.in', /cycle/],
  ['list.out', 'merge.in', /stream cannot go into a value/],
  ['merge.out', 'all.in', /takes a stream/],
  ['merge.gone', 'pass.in', /no such port/],
])('%s is refused at %s with the reason', (from, to, words) => {
  expect(reason(from, to)).toMatch(words);
});

test('an edge that would close a cycle is refused from either end', () => {
  const loop = docOf({ a: 'core.merge', b: 'core.merge', c: 'core.merge' }, ['a.out>b.in', 'b.out>c.in']);
  expect(verdictsFor(loop, catalog, { from: 'c.out' })('a.in')).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/cycle/) as string,
  });
  expect(verdictsFor(loop, catalog, { to: 'a.in' })('c.out')).toMatchObject({
    ok: false,
    reason: expect.stringMatching(/cycle/) as string,
  });
  expect(verdictsFor(loop, catalog, { to: 'c.in' })('a.out')).toEqual({ ok: true });
});
