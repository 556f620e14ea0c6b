import type { Host } from '#engine';

/**
 * The promise, or a rejection with the signal's reason as soon as it aborts: work that does not stop is not awaited.
 */
export function withSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

/** Waits on the clock of a host; rejects with the signal's reason as soon as it aborts. */
export function pauseOn({ timer }: Pick<Host, 'timer'>): (ms: number, signal: AbortSignal) => Promise<void> {
  return (ms, signal) => {
    let stop: (() => void) | undefined;
    const passed = new Promise<void>((resolve) => {
      stop = timer(ms, resolve);
    });
    return withSignal(passed, signal).finally(stop);
  };
}
