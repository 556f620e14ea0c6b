import { expect, test, vi } from 'vitest';
import { lazy, lazyService } from './lazy.ts';

test('is loaded once, with the first use', async () => {
  const load = vi.fn(async () => ({ n: 1 }));
  const part = lazy(load);
  expect([part.loaded, part.loading, load.mock.calls.length]).toEqual([undefined, undefined, 0]);
  const [first, second] = await Promise.all([part(), part()]);
  expect(first).toBe(second);
  expect([part.loaded, load.mock.calls.length]).toEqual([{ n: 1 }, 1]);
});

test.each([
  [false, 1, 'no 1'],
  [true, 2, 'no 2'],
])('a load that failed is tried again only where that is wanted: %s', async (retries, loads, second) => {
  let n = 0;
  const load = vi.fn(async () => {
    throw new Error(`no ${++n}`);
  });
  const part = lazy(load, { retries });
  await expect(part()).rejects.toThrow('no 1');
  await expect(part()).rejects.toThrow(second);
  expect(load).toHaveBeenCalledTimes(loads);
});

test('a service is loaded by the first call, and answers as it does', async () => {
  const load = vi.fn(async () => ({ add: async (a: number, b: number) => a + b, name: 'x' }));
  const service = lazyService(load, ['add']);
  expect(Object.keys(service)).toEqual(['add']);
  expect(load).not.toHaveBeenCalled();
  expect(await service.add(1, 2)).toBe(3);
});
