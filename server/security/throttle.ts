import { isIPv6 } from 'node:net';

const windowMs = 60_000;
const maxTracked = 10_000;

/** Bounds attempts per client. */
export interface Throttle {
  /** Counts an attempt; the milliseconds to wait when there were too many, else undefined. */
  attempt(address: string): number | undefined;
  /** Forgets the attempts of a client that got in. */
  clear(address: string): void;
}

/** At most `limit` attempts a minute and client; a client is an IPv4 address or an IPv6 network of 64 bits. */
export function createThrottle(limit: number, now: () => number): Throttle {
  const attempts = new Map<string, number[]>();
  return {
    attempt(address) {
      const client = clientOf(address);
      const recent = (attempts.get(client) ?? []).filter((at) => at > now() - windowMs);
      const first = recent[0];
      if (first !== undefined && recent.length >= limit) return first + windowMs - now();
      attempts.delete(client);
      attempts.set(client, [...recent, now()]);
      const oldest = attempts.keys().next().value;
      if (attempts.size > maxTracked && oldest !== undefined) attempts.delete(oldest);
      return undefined;
    },
    clear(address) {
      attempts.delete(clientOf(address));
    },
  };
}

/** One household has a whole IPv6 network; single addresses would make the limit meaningless. */
function clientOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::', 2);
  const groups = head.split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? [] : Array<string>(8).fill('0');
  return [...groups, ...zeros].slice(0, 4).join(':');
}
