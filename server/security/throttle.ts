import { networkOf } from './client-address.ts';

const windowMs = 60_000;
const maxTracked = 10_000;

/** Limits attempts per client. */
export interface Throttle {
  /** Counts an attempt; returns the milliseconds to wait if there were too many, otherwise undefined. */
  attempt(address: string): number | undefined;
  /** The milliseconds that a client has to wait, if any; counts nothing. */
  wait(address: string): number | undefined;
  /** Forgets the attempts of a client that was admitted. */
  clear(address: string): void;
}

/** At most `limit` attempts per minute and client; a client is an IPv4 address or a 64-bit IPv6 network. */
export function createThrottle(limit: number, now: () => number): Throttle {
  const attempts = new Map<string, number[]>();
  const recentOf = (client: string): number[] =>
    (attempts.get(client) ?? []).filter((at) => at > now() - windowMs);

  /** Until the first attempt in the window is a minute old. */
  function waitAfter(recent: readonly number[]): number | undefined {
    const first = recent.at(-limit);
    return first === undefined || recent.length < limit ? undefined : first + windowMs - now();
  }

  return {
    attempt(address) {
      const client = networkOf(address);
      const recent = recentOf(client);
      const wait = waitAfter(recent);
      if (wait !== undefined) return wait;
      attempts.delete(client);
      attempts.set(client, [...recent, now()]);
      const oldest = attempts.keys().next().value;
      if (attempts.size > maxTracked && oldest !== undefined) attempts.delete(oldest);
      return undefined;
    },
    wait: (address) => waitAfter(recentOf(networkOf(address))),
    clear(address) {
      attempts.delete(networkOf(address));
    },
  };
}
