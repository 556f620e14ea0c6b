import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { WeftError } from '#engine';
import { closedName, closedRange, isNearby, isOurs } from './addresses.ts';
import type { AllowList } from './allow-list.ts';
import type { OwnProxy, Proxies, Proxy } from './proxy.ts';
import type { Target } from './target.ts';

/** All addresses of a name. Rejects if there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export const resolveBySystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
};

export interface GuardDeps {
  readonly allow: AllowList;
  readonly resolve: Resolve;
  /** The port this server listens on; undefined if it does not listen. */
  readonly ownPort: () => number | undefined;
  readonly proxies: Proxies;
}

/** How a destination is reached. */
export interface Way {
  /** The only addresses that may be connected to, or that a proxy may be handed. None: the proxy is handed the name. */
  readonly addresses: readonly string[];
  readonly proxy?: Proxy | undefined;
}

/** What an administrator allowed for one call. */
export interface Allowed {
  readonly near?: AllowList | undefined;
  readonly proxy?: OwnProxy;
}

/**
 * Decides where requests may go, and by which way.
 * OG1. A name is resolved once per request; every address found is checked, and one forbidden address refuses
 *      all.
 * OG2. Only the returned addresses may be connected to.
 * OG3. This server's own port is refused, unless the list names host and port together.
 * OG4. `near` allows the named destination on this machine and in private networks, and nothing else: no metadata of a
 *      cloud.
 * OG5. Where a proxy looks up names, a name cannot be judged by its addresses: names that only inner networks know are refused.
 */
export type Guard = (target: Pick<Target, 'host' | 'port'>, allowed?: Allowed) => Promise<Way>;

/** Throws `outbound_refused`, or `outbound_failed` for a name without addresses. */
export function createGuard(deps: GuardDeps): Guard {
  const { allow, resolve, proxies } = deps;
  return async ({ host, port }, { near, proxy: own } = {}) => {
    const isName = isIP(host) === 0;
    const isNear = near?.exactly(host, port) ?? false;
    const proxy = proxies.for(host, port, own);
    if (proxy !== undefined && proxies.dns === 'proxy' && isName) {
      const closed = allow.host(host, port) ? undefined : closedName(host, proxy.host, isNear);
      if (closed !== undefined) throw refused(host, port, closed);
      return { addresses: [], proxy };
    }
    const addresses = isName ? await addressesOf(host, resolve, proxy) : [host];
    checkAddresses(deps, { host, port, addresses, isNear });
    return proxy === undefined || proxies.isPast(addresses, own) ? { addresses } : { addresses, proxy };
  };
}

function checkAddresses(
  { allow, ownPort }: GuardDeps,
  {
    host,
    port,
    addresses,
    isNear,
  }: { host: string; port: number; addresses: readonly string[]; isNear: boolean },
): void {
  const mayBeOurs = port !== ownPort() || isNear || allow.exactly(host, port);
  const isOpen = (address: string): boolean =>
    allow.host(host, port) || allow.address(address) || (isNear && isNearby(address));
  for (const address of addresses) {
    if (!mayBeOurs && isOurs(address)) throw refused(host, port, 'this server');
    const closed = isOpen(address) ? undefined : closedRange(address);
    if (closed !== undefined) throw refused(host, port, closed);
  }
}

async function addressesOf(
  host: string,
  resolve: Resolve,
  proxy: Proxy | undefined,
): Promise<readonly string[]> {
  let addresses: readonly string[] = [];
  try {
    addresses = await resolve(host);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const hint =
      proxy === undefined
        ? ''
        : ' If only the proxy can look up names, WEFT_PROXY_DNS=proxy leaves it to it.';
    throw new WeftError('outbound_failed', `The name ${host} could not be looked up (${code}).${hint}`);
  }
  if (addresses.length > 0) return addresses;
  throw new WeftError('outbound_failed', `The name ${host} has no address.`);
}

/** The resolved address is left out: it would reveal the internal network to callers. */
function refused(host: string, port: number, what: string): WeftError {
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  return new WeftError(
    'outbound_refused',
    `${shown} is ${what}, where flows may not send requests. If this is intended, the server's owner can set WEFT_OUTBOUND_ALLOW=${shown}:${port}`,
  );
}
