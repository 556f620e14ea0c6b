import { expect, test } from 'vitest';
import { makeRunIds, runStartedAt } from './run-ids.ts';

test('ids sort in the order of their creation, within and across milliseconds', () => {
  let now = 1_700_000_000_000;
  const next = makeRunIds(() => now);
  const ids: string[] = [];
  for (let i = 0; i < 3000; i++) {
    if (i % 1000 === 999) now += 1;
    ids.push(next());
  }
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a clock that is set back does not break the order', () => {
  let now = 1_700_000_000_000;
  const next = makeRunIds(() => now);
  const before = next();
  now -= 60_000;
  expect(next() > before).toBe(true);
});

test('more ids than one millisecond has room for stay unique and sorted', () => {
  const next = makeRunIds(() => 5, 'p');
  let last = '';
  for (let i = 0; i < 32 ** 4 + 2; i++) {
    const id = next();
    if (id <= last) expect.fail(`${id} follows ${last}`);
    last = id;
  }
  expect(last).toBe('00000000060001p');
});

test('an id fits into a path and has the same length at all times', () => {
  const lengths = [0, 1, 1_700_000_000_000, 4_000_000_000_000].map((at) => makeRunIds(() => at)().length);
  expect(new Set(lengths).size).toBe(1);
  expect(makeRunIds(() => Date.now())()).toMatch(/^[0-9a-z]{24}$/);
});

test('an id contains the start of its run', () => {
  for (const at of [0, 1_700_000_000_000]) expect(runStartedAt(makeRunIds(() => at)())).toBe(at);
  expect(runStartedAt('')).toBe(0);
});
