import { vi } from 'vitest';

/**
 * How long a test waits for what must come, in milliseconds. What does not come is a fault, so it is long enough for one busy
 * core; no test is slower for it while all is well.
 */
export const PATIENCE_MS = 60_000;

/** Waits until `fn` no longer throws: for what happens by itself, in its own time. */
export function eventually<T>(fn: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(fn, { timeout: PATIENCE_MS, interval: 20 });
}
