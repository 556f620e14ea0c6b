import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const idle = (): (() => void) => () => {};

/**
 * The time, for components that show something in progress: one clock for all of them, which stops while the page is hidden.
 * `step`: the interval in milliseconds, in whole seconds. `active: false` does not use the clock.
 */
export function useNow(active = true, step = 1000): number {
  return useSyncExternalStore(active ? subscribe : idle, () => now - (now % step) + step - 1);
}
