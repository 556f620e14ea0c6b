import type { Host } from '#engine';

/** Resolves after `ms`; rejects at once when `signal` aborts. */
export function pause(host: Pick<Host, 'timer'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const leave = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = host.timer(ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
  });
}
