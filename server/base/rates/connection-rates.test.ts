import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ConnectionRate } from '#shared/connection.ts';
import { createConnectionRates } from './connection-rates.ts';

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

function world(first: ConnectionRate | undefined) {
  const rates = createConnectionRates(Date.now);
  let rate = first;
  const ends: string[] = [];
  return {
    ends,
    use(label: string, mayWaitMs = 60_000, signal = never): void {
      rates.turn({ name: 'crm', rate: () => rate, mayWaitMs }, signal).then(
        () => ends.push(label),
        (error: string | { code: string }) =>
          ends.push(`${label}: ${typeof error === 'string' ? error : error.code}`),
      );
    },
    change(next: ConnectionRate | undefined): void {
      rate = next;
      rates.changed('crm', next);
    },
  };
}

const slow: ConnectionRate = { limit: 1, per: 'second' };

test('uses wait for their turns, in the order of their arrival', async () => {
  const { use, ends } = world(slow);
  for (const label of ['a', 'b', 'c']) use(label);
  await vi.advanceTimersByTimeAsync(999);
  expect(ends).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends).toEqual(['a', 'b', 'c']);
});

test('a use whose turn would come too late is refused at once and uses no turn', async () => {
  const { use, ends } = world(slow);
  use('a');
  use('b', 999);
  use('c', 1000);
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toEqual(['a', 'b: connection_limited']);
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends.at(-1)).toBe('c');
});

test('the turn of a use that is stopped goes to the next', async () => {
  const { use, ends } = world(slow);
  const stop = new AbortController();
  use('a');
  use('b', 60_000, stop.signal);
  await vi.advanceTimersByTimeAsync(500);
  stop.abort('stopped');
  await vi.advanceTimersByTimeAsync(0);
  use('c');
  await vi.advanceTimersByTimeAsync(500);
  expect(ends).toEqual(['a', 'b: stopped', 'c']);
});

test.each([
  ['raised', { limit: 10, per: 'second' } as const, ['a', 'b', 'c', 'd']],
  ['lifted', undefined, ['a', 'b', 'c', 'd']],
  [
    'lowered',
    { limit: 1, per: 'day' } as const,
    ['a', 'b', 'c: connection_limited', 'd: connection_limited'],
  ],
])('a limit that is %s holds for those that wait', async (_, next, expected) => {
  const { use, change, ends } = world({ limit: 1, per: 'hour' });
  use('a');
  for (const label of ['b', 'c', 'd']) use(label, 10 * 3_600_000);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toEqual(['a']);
  change(next);
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toEqual(expected);
});

test('a connection that is saved with the limit that it had keeps its turns', async () => {
  const { use, change, ends } = world(slow);
  use('a');
  change({ ...slow, burst: 1 });
  use('b', 0);
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toEqual(['a', 'b: connection_limited']);
});
