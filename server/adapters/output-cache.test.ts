import { expect, test } from 'vitest';
import { createOutputCache } from './output-cache.ts';

const entry = (value: unknown) => ({ value, at: 0 });

test('what was not asked for longest goes first', () => {
  const cache = createOutputCache(100);
  for (let i = 0; i < 10; i++) cache.set(`k${i}`, entry(i), 10);
  expect(cache.get('k0')?.value).toBe(0);
  cache.set('new', entry('new'), 10);
  expect(cache.get('k1')).toBeUndefined();
  expect(cache.get('k0')?.value).toBe(0);
  expect(cache.get('new')?.value).toBe('new');
});

test('an output that is too large is not kept, and what it replaces is gone', () => {
  const cache = createOutputCache(100);
  expect(cache.set('k', entry(1), 10)).toBe(true);
  expect(cache.set('k', entry(2), 11)).toBe(false);
  expect(cache.get('k')).toBeUndefined();
});

test('an output that is set again counts once', () => {
  const cache = createOutputCache(100);
  for (let i = 0; i < 100; i++) cache.set('same', entry(i), 10);
  for (let i = 0; i < 9; i++) cache.set(`k${i}`, entry(i), 10);
  expect(cache.get('same')?.value).toBe(99);
});
