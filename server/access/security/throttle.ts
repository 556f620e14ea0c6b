import type { Bus } from '../../storage/database/bus.ts';
import { networkOf } from './client-address.ts';

const windowMs = 60_000;
const maxTracked = 10_000;

/** Limits attempts per client. */
export interface Throttle {
  /** Counts an attempt; returns the milliseconds to wait if there were too many, otherwise undefined. */
  attempt(address: string): number | undefined;
  /** The milliseconds that a client has to wait, or undefined; counts nothing. */
  wait(address: string): number | undefined;
  /** Forgets the attempts of a client that was admitted. */
  clear(address: string): void;
}

/** Attempts that several servers count together. One whose notice is lost is counted by one server alone. */
export interface SharedAttempts {
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  /** The kind of credential. */
  readonly what: 'key' | 'password';
}

/** At most `limit` attempts per minute and client; a client is an IPv4 address or a 64-bit IPv6 network. */
export function createThrottle(limit: number, now: () => number, shared?: SharedAttempts): Throttle {
  const attempts = new Map<string, number[]>();
  const recentOf = (client: string): number[] =>
    (attempts.get(client) ?? []).filter((at) => at > now() - windowMs);

  /** Until the first attempt in the window is a minute old. */
  function waitAfter(recent: readonly number[]): number | undefined {
    const first = recent.at(-limit);
    return first === undefined || recent.length < limit ? undefined : first + windowMs - now();
  }

  function note(client: string): void {
    const recent = recentOf(client);
    attempts.delete(client);
    attempts.set(client, [...recent, now()].slice(-limit));
    const oldest = attempts.keys().next().value;
    if (attempts.size > maxTracked && oldest !== undefined) attempts.delete(oldest);
  }

  // Listeners of this server are called too, so each notice is counted once.
  shared?.bus.subscribe('credentials-tried', (name) => {
    const [what, did, client = ''] = name.split(' ');
    if (what !== shared.what) return;
    if (did === 'wrong') note(client);
    // Remembered as a client that attempted: an attempt in progress, published as wrong, must be published as right too.
    else if (attempts.has(client)) attempts.set(client, []);
  });
  const publish = (did: 'wrong' | 'right', client: string): void =>
    shared?.bus.publish('credentials-tried', `${shared.what} ${did} ${client}`);

  return {
    attempt(address) {
      const client = networkOf(address);
      const recent = recentOf(client);
      const wait = waitAfter(recent);
      if (wait !== undefined) return wait;
      if (shared === undefined) note(client);
      else publish('wrong', client);
      return undefined;
    },
    wait: (address) => waitAfter(recentOf(networkOf(address))),
    clear(address) {
      const client = networkOf(address);
      if (shared !== undefined && attempts.has(client)) publish('right', client);
      attempts.delete(client);
    },
  };
}
