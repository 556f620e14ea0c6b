import type { ConnectionAccount } from '#shared/connection.ts';
import { isOwn } from './access.ts';
import { lackingScopes, scopeLabel } from './scopes.ts';
import type { Named } from './sign-ins.ts';
import { printOf, providerOf } from './signer.ts';
import type { Facts } from './token-store.ts';

/** Scopes of the protocol itself: they allow nothing at the service, and providers leave them out of the granted ones. */
const OF_THE_PROTOCOL = new Set([
  'openid',
  'email',
  'profile',
  'offline_access',
  'offline.access',
  'refresh_token',
]);

/** The state of connections, by their names. */
export function accountsOf(
  named: readonly Named[],
  facts: ReadonlyMap<string, Facts>,
): Map<string, ConnectionAccount> {
  return new Map(named.map((one) => [one.name, accountOf(one, facts.get(one.name))]));
}

function accountOf({ settings }: Named, found: Facts | undefined): ConnectionAccount {
  const provider = providerOf(settings);
  const words = (scopes: readonly string[]): string[] => scopes.map((scope) => scopeLabel(provider, scope));
  const wanted = settings.scopes.filter((scope) => !OF_THE_PROTOCOL.has(scope));
  const common = { provider: provider.title, may: words(wanted), lacking: [] };
  const named = found?.account === undefined ? {} : { name: found.account };
  if (isOwn(settings)) return { ...common, ...named, state: 'own' };
  if (found === undefined) return { ...common, may: [], state: 'none' };
  const changed = found.print === printOf(settings) ? undefined : 'The app or the addresses changed since.';
  const problem = found.lost ?? changed;
  const lacking = lackingScopes(wanted, found.scopes);
  return {
    ...common,
    ...named,
    state: problem === undefined ? 'connected' : 'lost',
    may: words(wanted.filter((scope) => !lacking.includes(scope))),
    lacking: words(lacking),
    connectedAt: new Date(found.connectedAt).toISOString(),
    ...(problem !== undefined && { problem }),
  };
}
