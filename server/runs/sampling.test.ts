import { expect, test } from 'vitest';
import { createBudget, createSampler } from './sampling.ts';

test('of each flow one success a second is kept', () => {
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

test('every failed run is listed, and a thousand others a second over all flows', () => {
  const sampler = createSampler();
  const listed = Array.from({ length: 1200 }, () => sampler.lists('ok', 1500)).filter(Boolean);
  expect(listed).toHaveLength(1000);
  expect(sampler.lists('failed', 1600)).toBe(true);
  expect(sampler.lists('cancelled', 1600)).toBe(true);
  expect(sampler.lists('ok', 1999)).toBe(false);
  expect(sampler.lists('ok', 2000)).toBe(true);
});

test('a budget is full again in the next second', () => {
  let now = 0;
  const may = createBudget(2, () => now);
  expect([may(), may(), may()]).toEqual([true, true, false]);
  now = 1000;
  expect(may()).toBe(true);
});
