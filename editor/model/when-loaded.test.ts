import { expect, test, vi } from 'vitest';
import { loadPatiently, onceLoaded, whenLoaded } from './when-loaded.ts';
import { eventually } from '../../tests/support/eventually.ts';

test('code that cannot be fetched is left out without a word', async () => {
  const use = vi.fn();
  whenLoaded(Promise.reject(new Error('offline')), use);
  whenLoaded(Promise.resolve('here'), use);
  await eventually(() => expect(use.mock.calls).toEqual([['here']]));
});

test('what a field needs is fetched again until it comes, or until it is clear that it will not', async () => {
  vi.useFakeTimers();
  try {
    let tries = 0;
    const third = async () => {
      if (++tries < 3) throw new Error('offline');
      return 'here';
    };
    const loaded = loadPatiently(third);
    await vi.runAllTimersAsync();
    expect(await loaded).toBe('here');
    const never = loadPatiently(() => Promise.reject(new Error('gone')), 2);
    const failed = expect(never).rejects.toThrow('gone');
    await vi.runAllTimersAsync();
    await failed;
  } finally {
    vi.useRealTimers();
  }
});

test('code is loaded once for all who ask at once, and again after a failure', async () => {
  let isAway = true;
  let asked = 0;
  const load = onceLoaded(async () => {
    asked++;
    if (isAway) throw new Error('The network is away.');
    return { name: 'part' };
  });
  const failed = await Promise.allSettled([load(), load()]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toBe(1);
  isAway = false;
  const part = await load();
  expect(await load()).toBe(part);
  expect(asked).toBe(2);
});
