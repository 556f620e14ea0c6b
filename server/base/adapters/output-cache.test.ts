import { expect, test } from 'vitest';
import type { KeptOutput } from '#engine';
import { createOutputCache } from './output-cache.ts';

const entry = (value: unknown): KeptOutput => ({ value, at: 0 });
const place = { flow: 'f', node: 'n', definition: 'd' };

function small() {
  const cache = createOutputCache(100);
  return {
    set: (key: string, value: unknown, bytes = 10) => cache.set(key, entry(value), bytes, place),
    get: (key: string) => (cache.get(key, place) as KeptOutput | undefined)?.value,
  };
}

test('the least recently used output goes first', () => {
  const { get, set } = small();
  for (let i = 0; i < 10; i++) set(`k${i}`, i);
  expect(get('k0')).toBe(0);
  set('new', 'new');
  expect(get('k1')).toBeUndefined();
  expect(get('k0')).toBe(0);
  expect(get('new')).toBe('new');
});

test('an output that is too large is not kept, and what it replaces is gone', () => {
  const { get, set } = small();
  expect(set('k', 1)).toBe(true);
  expect(set('k', 2, 11)).toBe(false);
  expect(get('k')).toBeUndefined();
});

test('an output that is set again counts once', () => {
  const { get, set } = small();
  for (let i = 0; i < 100; i++) set('same', i);
  for (let i = 0; i < 9; i++) set(`k${i}`, i);
  expect(get('same')).toBe(99);
});

test('reports why there is no output', () => {
  const cache = createOutputCache(100);
  expect(cache.get('k', place)).toBeUndefined();
  cache.set('k', entry(1), 10, place);
  expect(cache.get('other', place)).toEqual({ missing: 'other-input' });
  expect(cache.get('other', { ...place, definition: 'changed' })).toEqual({ missing: 'node-changed' });
  expect(cache.get('other', { ...place, node: 'another' })).toBeUndefined();
});
