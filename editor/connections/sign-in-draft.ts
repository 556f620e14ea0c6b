import type { ConnectionInfo } from '#shared/connection.ts';
import type { SignInProvider } from '#shared/sign-in.ts';

/** How tokens are obtained; `GRANTS` has the words for it. */
export type Grant = SignInProvider['grants'][number];

/** The typed fields of a sign-in besides name, grants and rate of its connection. */
export interface SignInDraft {
  readonly grant: Grant;
  readonly clientId: string;
  /** Empty: the stored one stays. */
  readonly secret: string;
  /** The organization, with providers that have tenants; empty for the usual one. */
  readonly tenant: string;
  /** The person for whom a service account acts; empty for itself. */
  readonly subject: string;
  /** The scopes that are ticked. */
  readonly scopes: readonly string[];
  /** Further ones, separated by spaces. */
  readonly more: string;
  /** Of a provider by hand, by the name of the setting. */
  readonly byHand: Readonly<Record<string, string>>;
}

/** The addresses of a provider by hand, in the order of the form. */
export const ADDRESSES = [
  {
    name: 'address',
    label: 'Address of the API',
    help: 'All paths are below it. Tokens go to its host only.',
    isFirst: true,
  },
  {
    name: 'issuer',
    label: 'Issuer',
    help: 'The other addresses are read from its description, unless you enter them.',
    isFirst: true,
  },
  { name: 'authorizeUrl', label: 'Sign-in address', help: 'Where people sign in and consent.' },
  { name: 'tokenUrl', label: 'Token address', help: 'Where tokens are issued.' },
  { name: 'deviceUrl', label: 'Device address', help: 'Where device codes are issued.' },
  { name: 'revokeUrl', label: 'Revocation address', help: 'Where tokens are revoked.' },
  { name: 'accountUrl', label: 'Account address', help: 'Where the name of the account is read (userinfo).' },
] as const;

/** Who signs in, by grant. */
export const GRANTS: Readonly<Record<Grant, string>> = {
  code: 'A person, in a pop-up',
  device: 'A person, with a code on another device',
  client: 'The app itself (client credentials)',
  jwt: 'A service account, with its key',
};

/** Whether a person signs in, not the app itself. */
export const isOfPerson = (grant: unknown): boolean => grant === 'code' || grant === 'device';

/** Who signs in to a stored one. */
export const storedGrant = ({ settings }: Pick<ConnectionInfo, 'settings'>): unknown =>
  settings['grant'] ?? 'code';

/** `wanted`: the scopes of a new one. */
export function signInDraftOf(
  provider: SignInProvider,
  connection: ConnectionInfo | undefined,
  wanted: readonly string[] = [],
): SignInDraft {
  const settings = connection?.settings ?? {};
  const text = (name: string): string => (typeof settings[name] === 'string' ? settings[name] : '');
  const scopes = Array.isArray(settings['scopes']) ? settings['scopes'].map(String) : wanted;
  const known = new Set(provider.scopes.map(({ scope }) => scope));
  return {
    grant: (text('grant') || (provider.grants[0] ?? 'code')) as Grant,
    clientId: text('clientId'),
    secret: '',
    tenant: text('tenant'),
    subject: text('subject'),
    scopes: scopes.filter((scope) => known.has(scope)),
    more: scopes.filter((scope) => !known.has(scope)).join(' '),
    byHand: Object.fromEntries(
      [...ADDRESSES.map(({ name }) => name), 'clientAuth'].map((name) => [name, text(name)]),
    ),
  };
}

/** The settings of the connection; others than those of the form stay. */
export function signInSettings(
  provider: SignInProvider,
  draft: SignInDraft,
  connection: ConnectionInfo | undefined,
): Record<string, unknown> {
  const { grant, clientId, secret, tenant, subject, byHand } = draft;
  const typed = { tenant, subject, ...(provider.name === 'other' ? byHand : {}) };
  const filled = Object.entries(typed).filter(([, value]) => value.trim() !== '');
  const kept = Object.entries(connection?.settings ?? {}).filter(([name]) => !(name in typed));
  return {
    ...Object.fromEntries(kept),
    provider: provider.name,
    grant,
    clientId: clientId.trim(),
    scopes: [...new Set([...draft.scopes, ...draft.more.split(/[\s,]+/).filter(Boolean)])],
    ...Object.fromEntries(filled.map(([name, value]) => [name, value.trim()])),
    ...(secret !== '' && { secret }),
  };
}

/** Whether enough is typed to try. */
export function isSignInReady(provider: SignInProvider, draft: SignInDraft, hasSecret: boolean): boolean {
  const { address = '', issuer = '', tokenUrl = '' } = draft.byHand;
  const isThere = provider.name !== 'other' || (address !== '' && (issuer !== '' || tokenUrl !== ''));
  if (draft.grant === 'jwt') return isThere && (draft.secret !== '' || hasSecret);
  return isThere && draft.clientId.trim() !== '';
}

/** Providers whose title, services or kind has all words. */
export function matches(words: string, ...texts: readonly string[]): boolean {
  const all = texts.join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** Opens the window of a sign-in; null if the browser does not. Call it in the handler of the click: later browsers refuse. */
export function openWindow(): Window | null {
  return window.open('about:blank', '_blank', 'popup,width=560,height=720');
}
