import { WeftError } from '#engine';

/** The end of a request's time, or of its run, whichever comes first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Why it has ended; undefined until then. */
  readonly reason: unknown;
  /** Waits for work at most until the run's end; afterwards the deadline's time begins again. */
  without<T>(work: Promise<T>): Promise<T>;
  /** Call it when nothing waits any more. */
  end(): void;
}

/** `late` makes the error when the time is over: most calls need none, and making one costs as much as everything else. */
export function startDeadline(
  ms: number,
  outer: AbortSignal,
  late = () => new WeftError('outbound_timeout', `There was no answer after ${ms} ms.`),
): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const start = (): NodeJS.Timeout => setTimeout(() => controller.abort(late()), ms);
  let timer = start();
  let isOver = false;
  const onAbort = (): void => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  else outer.addEventListener('abort', onAbort, { once: true });
  const deadline: Deadline = {
    signal,
    get reason() {
      return signal.reason as unknown;
    },
    async without(work) {
      clearTimeout(timer);
      try {
        return await before(deadline, work);
      } finally {
        if (!isOver && !signal.aborted) timer = start();
      }
    },
    end() {
      isOver = true;
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
  return deadline;
}

/** Waits for work that cannot be stopped, but not longer than the deadline. */
export function before<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { signal } = deadline;
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
