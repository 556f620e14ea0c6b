import { createHash } from 'node:crypto';
import { buildConnector, Pool } from 'undici';
import type { Way } from './guard.ts';
import { pinned } from './open-socket.ts';
import type { CallKind } from './places.ts';
import type { Target } from './target.ts';
import type { Tunnel } from './tunnels.ts';

/** In the form of Node's `tls.connect`. */
export interface ClientTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** A way, and how encryption begins at its end. */
interface SecureWay extends Way {
  readonly tls: ClientTls | undefined;
}

/** Connections kept for reuse. */
export interface Pools {
  /** Connections to the target by this way only, at most `most`; the two kinds are separate. */
  take(target: Target, way: SecureWay, kind: CallKind, most: number): Pool;
  close(): Promise<void>;
}

const MAX_POOLS = 256;
const CONNECT_MS = 10_000;
const HEADER_BYTES = 32 * 1024;
/** A connection that is being opened may serve another request than the one that needed it first. */
const NEVER = new AbortController().signal;

/** A connection is reused only for the same origin at the same checked addresses, through the same proxy, with the same certificate. */
export function createPools(tunnel: Tunnel): Pools {
  const pools = new Map<string, Pool>();
  return {
    take(target, way, kind, most) {
      const { addresses, proxy, tls } = way;
      const by = `${proxy === undefined ? '' : ` through ${proxy.key}`}${tls === undefined ? '' : ` with ${hashOf(tls)}`}`;
      const key = `${kind} ${target.origin} ${addresses.toSorted().join(' ')}${by}`;
      const pool =
        pools.get(key) ??
        new Pool(target.origin, { ...options(most), connect: connector(target, way, tunnel) });
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

function hashOf(tls: ClientTls): string {
  return createHash('sha256').update(JSON.stringify(tls)).digest('base64');
}

function letGo(pools: Map<string, Pool>): void {
  for (const [key, pool] of pools) {
    pools.delete(key);
    // It ends once its requests have.
    pool.close().catch(() => {});
    return;
  }
}

function options(most: number): Pool.Options {
  return {
    connections: most,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: HEADER_BYTES,
    // The request's own deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

function connector(
  target: Target,
  { addresses, proxy, tls }: SecureWay,
  tunnel: Tunnel,
): buildConnector.BuildOptions | buildConnector.connector {
  if (proxy === undefined)
    return { ...tls, lookup: pinned(addresses), timeout: CONNECT_MS, autoSelectFamily: true };
  const secure = buildConnector({ ...tls, timeout: CONNECT_MS, allowH2: false });
  return (options, done) => {
    tunnel(target, { addresses, proxy }, NEVER).then(
      (socket) => {
        if (options.protocol === 'https:') secure({ ...options, httpSocket: socket }, done);
        else done(null, socket);
      },
      (error: Error) => done(error, null),
    );
  };
}
