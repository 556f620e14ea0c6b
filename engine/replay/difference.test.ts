import { expect, test } from 'vitest';
import type { RunEvent } from '#shared/run-event.ts';
import { firstDifference } from './difference.ts';

const finished = (more: object): RunEvent => ({
  run: 'r',
  seq: 1,
  at: 5,
  kind: 'node-finished',
  node: 'ask',
  ...more,
});

test('what models took is no difference: a replay asks none', () => {
  const recorded = finished({ tokens: { input: 3, output: 1 }, cost: 0.5, model: 'local/m' });
  expect(firstDifference([recorded], [finished({ at: 9 })])).toBeUndefined();
});

test('another end of a node is one', () => {
  const other = finished({ cache: { hit: true, reason: 'same-input' } });
  expect(firstDifference([finished({})], [other])).toMatchObject({ replayed: other });
});
