import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WeftError } from '#engine';
import { untilAborted } from '../../servers.ts';
import { accountOf, byItself, byRefreshToken, type Given } from './grants.ts';
import type { Settings } from './settings.ts';
import { printOf, type Signer } from './signer.ts';
import type { Facts, StoredToken, TokenStore, Tokens } from './token-store.ts';

/** A token that a request may be sent with. */
export interface Access {
  readonly token: string;
  readonly version: number;
  /** The address of the API, for providers that name one with the token. */
  readonly address: string | undefined;
}

/** A connection whose token is wanted. */
export interface Wanted {
  readonly name: string;
  readonly settings: Settings;
}

/**
 * Valid tokens of connections.
 * OA1. However many runs of however many servers meet an expired token, the provider is asked once.
 * OA2. A refusal of the provider that only a person can end is stored: it is not asked again with the same token.
 * OA3. A token is used only with the settings that it was given for.
 */
export interface AccessTokens {
  /**
   * A token that is valid by its own account; with `refused` another one than that version, or the same if no other would help:
   * there is none, or the refusal was not about the token. Throws `oauth_not_connected`,
   * `oauth_reconnect`, `connection_refused`, `connection_failed`, `storage_failed`.
   */
  get(wanted: Wanted, signal: AbortSignal, refused?: number): Promise<Access>;
  /** A fresh token was refused too, so it is not the token: for a minute a refusal makes no refresh. */
  notTheToken(name: string, version: number): void;
}

interface Deps {
  /** Undefined where nothing is stored: a command without data. */
  readonly store: TokenStore | undefined;
  readonly signerOf: (settings: Settings) => Promise<Signer>;
  readonly now: () => number;
  /** Milliseconds that the lock of a refresh outlives its server. */
  readonly holdMs?: number;
}

/** How long the lock of a refresh outlives a dead server, in milliseconds; a live server prolongs it. */
const HOLD_MS = 10_000;
/** How often a refresh looks whether another one is done, in milliseconds. */
const LOOK_MS = 50;
/** How long before its end a token is replaced, in milliseconds, so that it does not expire on the way. */
const EARLY_MS = 30_000;
/** How long a refusal of a fresh token prevents further refreshes, in milliseconds. */
const REFUSED_MS = 60_000;

export function createAccessTokens({ store, signerOf, now, holdMs = HOLD_MS }: Deps): AccessTokens {
  const refusedFresh = new Map<string, { readonly version: number; readonly until: number }>();
  const refresh = store && sharedRefresh({ store, signerOf, now, holdMs });

  /** Whether a refusal of this version says nothing about the token. */
  function isInVain(name: string, version: number): boolean {
    const known = refusedFresh.get(name);
    return known?.version === version && now() < known.until;
  }

  return {
    async get(wanted, signal, refused) {
      const { name, settings } = wanted;
      if (store === undefined || refresh === undefined) return withoutStore(wanted, signerOf, now);
      const found = await store.find(name);
      if (isUsable(found, settings, now())) {
        if (found.version !== refused || isInVain(name, refused)) return accessOf(found);
        if (await isStillGood(wanted, found, signerOf)) return accessOf(found);
      }
      checkSignedIn(wanted, found);
      const done = await untilAborted(signal, refresh(wanted, found ?? NONE));
      checkSignedIn(wanted, done);
      if (done.tokens === undefined) throw notConnected(name);
      return accessOf(done);
    },
    notTheToken: (name, version) => void refusedFresh.set(name, { version, until: now() + REFUSED_MS }),
  };
}

function isUsable(
  found: StoredToken | undefined,
  settings: Settings,
  now: number,
): found is StoredToken & { readonly tokens: Tokens; readonly facts: Facts } {
  if (found?.tokens === undefined || found.facts === undefined) return false;
  const { expiresAt, refreshedAt, print, lost } = found.facts;
  if (print !== printOf(settings) || lost !== undefined) return false;
  return expiresAt === undefined || now < expiresAt - Math.min(EARLY_MS, (expiresAt - refreshedAt) / 4);
}

/** A token that cannot be refreshed is given up only if the provider itself refuses it. */
async function isStillGood(
  { settings }: Wanted,
  { tokens }: StoredToken,
  signerOf: Deps['signerOf'],
): Promise<boolean> {
  if (tokens === undefined || tokens.refresh !== undefined || isOwn(settings)) return false;
  try {
    await accountOf(await signerOf(settings), { access: tokens.access, account: undefined });
    return true;
  } catch (error) {
    return !(error instanceof WeftError && error.code === 'connection_refused');
  }
}

interface RefreshDeps extends Required<Omit<Deps, 'store'>> {
  readonly store: TokenStore;
}

type Refresh = (wanted: Wanted, found: StoredToken) => Promise<StoredToken>;

/** Refreshes of this process: those that come meanwhile wait for the same. */
function sharedRefresh(deps: RefreshDeps): Refresh {
  const under = new Map<string, Promise<StoredToken>>();
  return (wanted, found) => {
    const key = JSON.stringify([wanted.name, printOf(wanted.settings)]);
    const running = under.get(key);
    if (running !== undefined) return running;
    const started = settle(deps, wanted, found).finally(() => under.delete(key));
    under.set(key, started);
    return started;
  };
}

/** Refreshes, or waits for the server that does. */
async function settle(deps: RefreshDeps, wanted: Wanted, before: StoredToken): Promise<StoredToken> {
  let found = before;
  for (;;) {
    const done = await refreshed(deps, wanted, found);
    if (done !== undefined) return done;
    await sleep(LOOK_MS);
    const next = (await deps.store.find(wanted.name)) ?? NONE;
    if (next.version !== found.version || next.facts?.lost !== undefined) return next;
    found = next;
  }
}

/** Refreshes the version under the lock; undefined if another server has the lock or was quicker. */
async function refreshed(
  deps: RefreshDeps,
  wanted: Wanted,
  found: StoredToken,
): Promise<StoredToken | undefined> {
  const { store, now, holdMs } = deps;
  const { name, settings } = wanted;
  const holder = randomUUID();
  const hold = (): Promise<boolean> => store.hold(name, found.version, holder, holdMs);
  if (!(await hold())) return undefined;
  const longer = setInterval(() => void hold().catch(() => undefined), holdMs / 4);
  try {
    const given = await renewed(deps, wanted, found);
    const before = found.facts?.print === printOf(settings) ? found.facts : undefined;
    const facts = factsOf(given, settings, before, now);
    await store.replace(name, found.version, tokensOf(given, found.tokens), facts);
    return await store.find(name);
  } catch (error) {
    await noteLost(store, wanted, found, error);
    throw error;
  } finally {
    clearInterval(longer);
    await store.release(name, holder).catch(() => undefined);
  }
}

/** A new token, by the grant of the settings; without a refresh token a person has to sign in. */
async function renewed(
  { signerOf, now }: RefreshDeps,
  { name, settings }: Wanted,
  found: StoredToken,
): Promise<Given> {
  const signer = await signerOf(settings);
  if (isOwn(settings)) return byItself(signer, settings, now);
  const refresh = found.tokens?.refresh;
  if (refresh !== undefined) return byRefreshToken(signer, refresh, now);
  throw new WeftError(
    'oauth_reconnect',
    `The sign-in of the connection ${name} has ended, and ${signer.provider.title} gave no refresh token: reconnect it.`,
  );
}

async function noteLost(
  store: TokenStore,
  { name }: Wanted,
  { version, facts, heldUntil }: StoredToken,
  error: unknown,
): Promise<void> {
  if (!(error instanceof WeftError) || error.code !== 'oauth_reconnect' || facts === undefined) return;
  const interrupted =
    heldUntil === 0
      ? ''
      : ' A server ended in the middle of a refresh, and the token that the provider gave meanwhile is lost.';
  await store.lose(name, version, { ...facts, lost: `${error.message}${interrupted}` });
}

const NONE: StoredToken = { version: 0, tokens: undefined, facts: undefined, heldUntil: 0 };

/** Whether the grant needs no person. */
export function isOwn({ grant }: Settings): boolean {
  return grant === 'client' || grant === 'jwt';
}

async function withoutStore(
  { name, settings }: Wanted,
  signerOf: Deps['signerOf'],
  now: Deps['now'],
): Promise<Access> {
  if (!isOwn(settings)) throw notConnected(name);
  const { access, address } = await byItself(await signerOf(settings), settings, now);
  return { token: access, version: 0, address };
}

/** Throws if only a person can help. */
function checkSignedIn({ name, settings }: Wanted, found: StoredToken | undefined): void {
  if (isOwn(settings)) return;
  if (found?.facts === undefined) throw notConnected(name);
  if (found.facts.print !== printOf(settings))
    throw new WeftError(
      'oauth_reconnect',
      `The app or the addresses of the connection ${name} changed since somebody signed in: reconnect it.`,
    );
  if (found.facts.lost !== undefined)
    throw new WeftError('oauth_reconnect', `Reconnect the connection ${name}. ${found.facts.lost}`);
  if (found.tokens === undefined)
    throw new WeftError(
      'oauth_reconnect',
      `The tokens of the connection ${name} were sealed with another secrets key: reconnect it.`,
    );
}

function notConnected(name: string): WeftError {
  return new WeftError(
    'oauth_not_connected',
    `Nobody has signed in for the connection ${name} yet: connect it under Connections, or with weft connections authorize ${name}.`,
  );
}

function accessOf({ tokens, version, facts }: StoredToken): Access {
  return { token: (tokens as Tokens).access, version, address: facts?.address };
}

/** A provider that does not rotate refresh tokens gives none again. */
export function tokensOf({ access, refresh }: Given, before: Tokens | undefined): Tokens {
  const kept = refresh ?? before?.refresh;
  return { access, ...(kept !== undefined && { refresh: kept }) };
}

/** The facts of a sign-in, or of one that was refreshed. */
export function factsOf(
  given: Given,
  settings: Settings,
  before: Facts | undefined,
  now: () => number,
): Facts {
  const earlier = before ?? {
    account: undefined,
    address: undefined,
    scopes: settings.scopes,
    connectedAt: now(),
  };
  const { account = earlier.account, address = earlier.address, scopes = earlier.scopes, expiresAt } = given;
  return {
    scopes: [...scopes],
    connectedAt: earlier.connectedAt,
    refreshedAt: now(),
    print: printOf(settings),
    ...(account !== undefined && { account }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(address !== undefined && { address }),
  };
}

/** The name of the account of new tokens; a provider that does not say it now is no failure. */
export async function withAccount(signer: Signer, given: Given): Promise<Given> {
  const account = await accountOf(signer, given).catch(() => undefined);
  return { ...given, account };
}
