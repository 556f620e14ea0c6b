import { vi } from 'vitest';

/**
 * How long a test waits for an expected event, in milliseconds. A missing event is a fault, so the time is long enough
 * for one busy core; it does not slow down passing tests.
 */
export const PATIENCE_MS = 60_000;

/** Waits until `fn` no longer throws: for events that happen in their own time. */
export function eventually<T>(fn: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(fn, { timeout: PATIENCE_MS, interval: 20 });
}
