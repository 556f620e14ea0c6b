import { vi } from 'vitest';

/** Waits until `fn` no longer throws: for what a server does by itself after a file has changed. */
export function eventually<T>(fn: () => T | Promise<T>, seconds = 10): Promise<T> {
  return vi.waitFor(fn, { timeout: seconds * 1000, interval: 25 });
}
