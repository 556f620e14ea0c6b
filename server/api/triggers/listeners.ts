import type { Host } from '#engine';
import { ServiceError } from '../../base/errors/errors.ts';

/** A request that came to a draft's test address and started a run. */
export interface Heard {
  readonly run: string;
  readonly request: { readonly method: string; readonly path: string; readonly query: string };
}

/**
 * Waits for the next request to a draft. At most one per flow: a newer one replaces the older one, whose wait ends
 * with `conflict`.
 */
export interface Listeners {
  /** The names of those who listen to the flow. */
  who(flow: string): string | undefined;
  /** Undefined if nothing came within `timeoutMs`, or if `signal` was aborted. */
  wait(flow: string, wish: ListenWish, signal: AbortSignal): Promise<Heard | undefined>;
  notify(flow: string, heard: Heard): void;
  /** Ends every wait with `draining`. */
  close(): void;
}

/** Somebody who waits for the next call of a draft. */
export interface ListenWish {
  readonly who: string;
  readonly timeoutMs: number;
}

interface Waiting {
  readonly who: string;
  done(heard: Heard | undefined): void;
  fail(error: ServiceError): void;
}

export function createListeners(host: Pick<Host, 'timer'>): Listeners {
  const open = new Map<string, Waiting>();

  function wait(
    flow: string,
    { who, timeoutMs }: ListenWish,
    signal: AbortSignal,
  ): Promise<Heard | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Heard | undefined>();
    const stopTimer = host.timer(timeoutMs, () => waiting.done(undefined));
    const leave = (): void => {
      stopTimer();
      if (open.get(flow) === waiting) open.delete(flow);
    };
    const waiting: Waiting = {
      who,
      done(heard) {
        leave();
        resolve(heard);
      },
      fail(error) {
        leave();
        reject(error);
      },
    };
    open.get(flow)?.fail(new ServiceError('conflict', 'Somebody else listens to this flow now.'));
    open.set(flow, waiting);
    if (signal.aborted) waiting.done(undefined);
    else signal.addEventListener('abort', () => waiting.done(undefined), { once: true });
    return promise;
  }

  return {
    who: (flow) => open.get(flow)?.who,
    wait,
    notify: (flow, heard) => open.get(flow)?.done(heard),
    close() {
      // An idle keep-alive connection would delay the server's end.
      const headers = { connection: 'close', 'retry-after': '1' };
      for (const waiting of open.values()) waiting.fail(new ServiceError('draining', undefined, { headers }));
    },
  };
}
