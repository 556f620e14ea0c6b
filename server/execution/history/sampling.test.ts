import { expect, test } from 'vitest';
import { createBudget, createSampler } from './sampling.ts';

test('one success a second of each flow is kept', () => {
  const sampler = createSampler();
  expect([1000, 1500, 1999, 2000].map((at) => sampler.keeps('a', 'ok', at))).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(sampler.keeps('b', 'ok', 1999)).toBe(true);
});

test('up to ten failures a second are kept, besides the success', () => {
  const sampler = createSampler();
  expect(sampler.keeps('a', 'ok', 1000)).toBe(true);
  const kept = Array.from({ length: 12 }, (_, i) =>
    sampler.keeps('a', i % 2 ? 'failed' : 'cancelled', 1000 + i),
  );
  expect(kept).toEqual([...Array(10).fill(true), false, false]);
  expect(sampler.keeps('a', 'failed', 2000)).toBe(true);
});

test('a budget is full again in the next second', () => {
  let now = 0;
  const may = createBudget(2, () => now);
  expect([may(), may(), may()]).toEqual([true, true, false]);
  now = 1000;
  expect(may()).toBe(true);
});
