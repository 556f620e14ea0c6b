import { WeftError } from '#engine';
import type { ConnectionRate } from '#shared/connection.ts';
import { rateWords } from '#shared/connection-labels.ts';
import { type AnyBuckets, createBuckets, type SharedBuckets } from './buckets.ts';
import { rateOf } from './call-rates.ts';

/** A use of a connection that waits for its turn. */
export interface TurnOf {
  readonly name: string;
  /** The current limit of the connection; undefined if it has none. Called again when it has changed; may throw. */
  rate(): ConnectionRate | undefined;
  /** Longest wait, in milliseconds. */
  readonly mayWaitMs: number;
}

/**
 * The rate limits of connections, in memory: each connection has one bucket for all its users.
 * CR1. Waiting uses go in the order of their arrival; one whose turn would come too late is refused at once and uses none.
 * CR2. A changed limit holds at once, also for those that wait.
 */
export interface ConnectionRates {
  /** Waits for the turn of a use. Rejects with `connection_limited`, with an error of `rate`, or with the signal's reason. */
  turn(of: TurnOf, signal: AbortSignal): Promise<void>;
  /** The connection has this limit from now on; undefined if it has none or is gone. */
  changed(name: string, rate: ConnectionRate | undefined): void;
}

/** The bucket of a connection, and the uses that wait for it. */
interface Gate {
  readonly text: string;
  readonly buckets: AnyBuckets;
  /** Ends the waits for turns of this gate. */
  readonly closed: AbortController;
}

/** The longest delay of a timer. */
const MAX_WAIT_MS = 2 ** 31 - 1;

/** `now` is in Unix milliseconds; `shared` has the buckets of servers that count together. */
export function createConnectionRates(now: () => number, shared?: SharedBuckets): ConnectionRates {
  const gates = new Map<string, Gate>();

  function close(name: string): void {
    gates.get(name)?.closed.abort();
    gates.delete(name);
  }

  function gateOf(name: string, rate: ConnectionRate): Gate {
    const text = textOf(rate);
    const known = gates.get(name);
    if (known?.text === text) return known;
    close(name);
    const buckets = shared?.of('connection', rateOf(rate)) ?? createBuckets(rateOf(rate), now);
    const gate = { text, buckets, closed: new AbortController() };
    gates.set(name, gate);
    return gate;
  }

  return {
    async turn({ name, rate: current, mayWaitMs }, signal) {
      const start = now();
      for (;;) {
        signal.throwIfAborted();
        const rate = current();
        if (rate === undefined) return;
        const { buckets, closed } = gateOf(name, rate);
        const left = Math.min(MAX_WAIT_MS, Math.max(0, mayWaitMs - (now() - start)));
        const taken = buckets.take(name, left);
        const { granted, waitMs } = taken instanceof Promise ? await taken : taken;
        if (!granted) throw limited(name, rate, waitMs);
        if (waitMs === 0) return;
        const until = now() + waitMs;
        const end = await passed(waitMs, signal, closed.signal);
        if (end === 'over') return;
        // No other use waits for a closed bucket.
        if (end === 'stopped') buckets.giveBack(name, until - now());
      }
    },
    changed(name, rate) {
      if (rate === undefined || gates.get(name)?.text !== textOf(rate)) close(name);
    },
  };
}

function textOf(rate: ConnectionRate): string {
  return JSON.stringify(rateOf(rate));
}

/** How a wait ended: by its time, by the end of its run or time limit, or by a changed limit. */
function passed(
  ms: number,
  signal: AbortSignal,
  closed: AbortSignal,
): Promise<'over' | 'stopped' | 'changed'> {
  return new Promise((resolve) => {
    const done = (end: 'over' | 'stopped' | 'changed'): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onStop);
      closed.removeEventListener('abort', onChange);
      resolve(end);
    };
    const onStop = (): void => done('stopped');
    const onChange = (): void => done('changed');
    const timer = setTimeout(() => done('over'), ms);
    signal.addEventListener('abort', onStop, { once: true });
    closed.addEventListener('abort', onChange, { once: true });
  });
}

function limited(name: string, rate: ConnectionRate, waitMs: number): WeftError {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
  return new WeftError(
    'connection_limited',
    `The connection ${name} allows ${rateWords(rate)}, by all flows together. The next turn comes in ${retryAfter} s, after the time limit of this call.`,
    { data: { connection: name, retryAfter } },
  );
}
