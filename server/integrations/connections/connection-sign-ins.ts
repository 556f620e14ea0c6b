import type { ConnectionAccount } from '#shared/connection.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Settings as OAuthSettings } from './kinds/oauth2/settings.ts';
import type { Progress, SignIns, Started } from './kinds/oauth2/sign-ins.ts';
import { type Opened, readable, type Settings } from './stored-connections.ts';

/**
 * Sign-ins of stored connections by OAuth2. All throw `connection_not_found`, and `invalid_request` for a connection of another
 * kind; the rest is in `sign-ins.ts`.
 */
export interface ConnectionSignIns {
  start(name: string, redirect: string): Promise<Started>;
  consent(state: string): Promise<string>;
  finish: (answer: URLSearchParams, isSameBrowser: (id: string) => boolean) => ReturnType<SignIns['finish']>;
  progress(name: string, id: string): Promise<Progress>;
  /** The state of the connections that people sign in to, by their names. */
  accounts(): Promise<ReadonlyMap<string, ConnectionAccount>>;
}

interface Stored {
  named(name: string): Opened;
  list(): readonly Opened['info'][];
}

type Load = () => Promise<SignIns>;

export function connectionSignIns(stored: Stored, signIns: Load): ConnectionSignIns {
  const settingsOf = async (name: string): Promise<OAuthSettings> => parsed(readableIn(stored, name));
  /** With the schema loaded, it can be asked without waiting. */
  const reader = async () => {
    const { settings } = await import('./kinds/oauth2/settings.ts');
    return (name: string): OAuthSettings => settings.parse(readableIn(stored, name));
  };
  return {
    start: async (name, redirect) =>
      (await signIns()).start({ name, settings: await settingsOf(name) }, redirect),
    consent: async (state) => (await signIns()).consent(state, await reader()),
    finish: async (answer, isSameBrowser) => (await signIns()).finish(answer, isSameBrowser, await reader()),
    async progress(name, id) {
      await settingsOf(name);
      return (await signIns()).progress(id, await reader());
    },
    async accounts() {
      if (!stored.list().some(({ kind }) => kind === 'oauth2')) return new Map();
      const { accountsOf } = await import('./kinds/oauth2/accounts.ts');
      const facts = await (await signIns()).facts();
      const read = await reader();
      const named = stored.list().filter(({ kind, broken }) => kind === 'oauth2' && broken === undefined);
      return accountsOf(
        named.map(({ name }) => ({ name, settings: read(name) })),
        facts,
      );
    },
  };
}

/** Revokes and forgets the tokens of a connection that is deleted; returns why they could not be revoked. */
export async function forgotten(
  signIns: Load,
  name: string,
  settings: Settings,
): Promise<string | undefined> {
  return (await signIns()).forget({ name, settings: await parsed(settings) });
}

async function parsed(given: Settings): Promise<OAuthSettings> {
  const { settings } = await import('./kinds/oauth2/settings.ts');
  return settings.parse(given);
}

function readableIn(stored: Stored, name: string): Settings {
  const one = stored.named(name);
  if (one.info.kind === 'oauth2') return readable(one);
  throw new ServiceError(
    'invalid_request',
    `Nobody signs in to the connection ${name}: it is of the kind ${one.info.kind}.`,
    { param: 'name' },
  );
}
