import { expect, test, vi } from 'vitest';
import { createHost } from './node-host.ts';

test('time, randomness and ids are the system’s', () => {
  const host = createHost();
  const before = Date.now();
  expect(host.now()).toBeGreaterThanOrEqual(before);
  expect(host.random()).toBeLessThan(1);
  expect(host.id()).toMatch(/^[0-9a-f-]{36}$/);
  expect(host.id()).not.toBe(host.id());
});

test('a timer fires once, after its time, and not at all when it is called off', () => {
  vi.useFakeTimers();
  try {
    const host = createHost();
    const fired: string[] = [];
    host.timer(100, () => fired.push('kept'));
    host.timer(100, () => fired.push('called off'))();
    vi.advanceTimersByTime(99);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(fired).toEqual(['kept']);
  } finally {
    vi.useRealTimers();
  }
});

test('a timer of sixty days fires after sixty days, and can be called off after thirty', () => {
  vi.useFakeTimers();
  try {
    const day = 24 * 3600 * 1000;
    const host = createHost();
    const fired: string[] = [];
    host.timer(60 * day, () => fired.push('kept'));
    const callOff = host.timer(60 * day, () => fired.push('called off'));
    vi.advanceTimersByTime(30 * day);
    callOff();
    vi.advanceTimersByTime(30 * day - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(fired).toEqual(['kept']);
  } finally {
    vi.useRealTimers();
  }
});

test('deferred work comes after other work that waits', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    createHost().defer(() => {
      order.push('deferred');
      resolve();
    });
    process.nextTick(() => order.push('tick'));
    queueMicrotask(() => order.push('microtask'));
  });
  expect(order.at(-1)).toBe('deferred');
  expect(order).toHaveLength(3);
});
