import { expect, test } from 'vitest';
import type { NodeRun } from '../state/run-store.ts';
import { standInLook, statusText } from './node-status.ts';

const running: NodeRun = {
  status: 'running',
  attempt: 1,
  startedAt: 10_000,
  ms: undefined,
  outputs: {},
  error: undefined,
  handled: undefined,
  skipped: undefined,
  waitingFor: undefined,
  counts: {},
};

test.each<[string, Partial<NodeRun>, number, string]>([
  ['nothing in the first second', {}, 10_900, 'Running'],
  ['whole seconds from then on', {}, 12_999, 'Running 2 s'],
  ['minutes', {}, 135_500, 'Running 2 min 5 s'],
  ['the attempt before the time', { attempt: 2 }, 13_000, 'Running (2) 3 s'],
  ['no time where the start is not known', { startedAt: undefined }, 13_000, 'Running'],
  ['no less than nothing where the clocks differ', {}, 5_000, 'Running'],
  ['the time it took when it is done', { status: 'ok', ms: 42 }, 13_000, 'OK 42 ms'],
])('what a node says while it runs: %s', (_, run, now, text) => {
  expect(statusText({ ...running, ...run }, now)).toBe(text);
});

test('a node that was not carried out says so in place of its status; one that was carried out does not', () => {
  const look = (does: 'run' | 'reused' | 'left-out') =>
    standInLook({ node: 'a', does, reason: 'because' })?.word;
  expect([look('reused'), look('left-out'), look('run'), standInLook(undefined)]).toEqual([
    'Reused',
    'Left out',
    undefined,
    undefined,
  ]);
});
