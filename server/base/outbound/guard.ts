import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { WeftError } from '#engine';
import { closedRange, isNearby, isOurs } from './addresses.ts';
import type { AllowList } from './allow-list.ts';
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
}

/**
 * Decides where requests may go.
 * OG1. A name is resolved once per request; every address found is checked, and one forbidden address refuses
 *      all.
 * OG2. Only the returned addresses may be connected to.
 * OG3. This server's own port is refused, unless the list names host and port together.
 * OG4. `near` allows the named destination on this machine and in private networks, and nothing else: no metadata of a
 *      cloud.
 */
export type Guard = (target: Target, near?: AllowList) => Promise<readonly string[]>;

/** Throws `outbound_refused`, or `outbound_failed` for a name without addresses. */
export function createGuard({ allow, resolve, ownPort }: GuardDeps): Guard {
  return async ({ host, port }, near) => {
    const addresses = isIP(host) === 0 ? await addressesOf(host, resolve) : [host];
    const isNear = near?.exactly(host, port) ?? false;
    const mayBeOurs = port !== ownPort() || isNear || allow.exactly(host, port);
    const isOpen = (address: string): boolean =>
      allow.host(host, port) || allow.address(address) || (isNear && isNearby(address));
    for (const address of addresses) {
      if (!mayBeOurs && isOurs(address)) throw refused(host, port, 'this server');
      const closed = isOpen(address) ? undefined : closedRange(address);
      if (closed !== undefined) throw refused(host, port, closed);
    }
    return addresses;
  };
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  let addresses: readonly string[] = [];
  try {
    addresses = await resolve(host);
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WeftError('outbound_failed', `The name ${host} could not be looked up (${code}).`);
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
