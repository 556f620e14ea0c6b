import { isIP, type LookupFunction } from 'node:net';
import { Pool } from 'undici';
import type { CallKind } from './places.ts';
import type { Target } from './target.ts';

/** Connections kept for reuse. */
export interface Pools {
  /** Connections to the target over these addresses only, at most `most`; the two kinds are separate. */
  take(target: Target, addresses: readonly string[], kind: CallKind, most: number): Pool;
  close(): Promise<void>;
}

const MAX_POOLS = 256;
const CONNECT_MS = 10_000;
const HEADER_BYTES = 32 * 1024;

/** A connection is reused only for the same origin at the same checked addresses. */
export function createPools(): Pools {
  const pools = new Map<string, Pool>();
  return {
    take(target, addresses, kind, most) {
      const key = `${kind} ${target.origin} ${addresses.toSorted().join(' ')}`;
      const pool = pools.get(key) ?? new Pool(target.origin, options(addresses, most));
      // The most recently used one is last in the map, so the first is removed.
      pools.delete(key);
      pools.set(key, pool);
      if (pools.size > MAX_POOLS) letGo(pools);
      return pool;
    },
    async close() {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}

function letGo(pools: Map<string, Pool>): void {
  for (const [key, pool] of pools) {
    pools.delete(key);
    // It ends once its requests have.
    pool.close().catch(() => {});
    return;
  }
}

function options(addresses: readonly string[], most: number): Pool.Options {
  return {
    connections: most,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: HEADER_BYTES,
    // The request's own deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { lookup: pinned(addresses), timeout: CONNECT_MS, autoSelectFamily: true },
  };
}

/** Replaces the look-up by name, which could return another result than the checked one. */
export function pinned(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, done) => {
    const [first] = known;
    if (options.all === true) done(null, known);
    else done(null, first?.address ?? '', first?.family);
  };
}
