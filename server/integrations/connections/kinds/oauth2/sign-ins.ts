import { WeftError } from '#engine';
import type { Redactor } from '../../../../base/secrets/redactor.ts';
import type { Sealer } from '../../../../base/secrets/seal.ts';
import type { Sql } from '../../../../storage/database/sql.ts';
import { type AccessTokens, createAccessTokens, factsOf, isOwn, tokensOf, withAccount } from './access.ts';
import {
  type Attempt,
  type Attempts,
  attemptId,
  createAttempts,
  failedBy,
  type Outcome,
  randomText,
} from './attempts.ts';
import { accountOf, byCode, byDeviceCode, consentAddress, deviceCode, type Given, revoke } from './grants.ts';
import type { Settings } from './settings.ts';
import { createSigners, printOf, type Signer, type SignerDeps } from './signer.ts';
import { createTokenStore, type Facts, type TokenStore } from './token-store.ts';

/** A connection with its settings. */
export interface Named {
  readonly name: string;
  readonly settings: Settings;
}

/** A sign-in that began: an address for a browser, or a code for another device. */
export type Started =
  | { readonly id: string; readonly by: 'browser'; readonly state: string; readonly until: number }
  | {
      readonly id: string;
      readonly by: 'device';
      readonly address: string;
      readonly code: string;
      readonly until: number;
    };

export type Progress = { readonly state: 'waiting' } | Outcome;

type SettingsOf = (name: string) => Settings;

interface Finished {
  /** Undefined if the answer belongs to no sign-in of this browser. */
  readonly connection: string | undefined;
  readonly outcome: Outcome;
}

/** The sign-ins of connections by OAuth2. Loaded with the first use. */
export interface SignIns {
  readonly tokens: AccessTokens;
  /** Throws `connection_refused`, `connection_failed`; `oauth_failed` for grants that need no person. */
  start(named: Named, redirect: string): Promise<Started>;
  /** Where the browser goes to sign in. Throws `oauth_failed` for a `state` that is unknown, used or too old. */
  consent(state: string, settingsOf: SettingsOf): Promise<string>;
  /** Takes the answer that the browser brings. Never throws for what a provider or a browser does. */
  finish(
    answer: URLSearchParams,
    isSameBrowser: (id: string) => boolean,
    settingsOf: SettingsOf,
  ): Promise<Finished>;
  /** How a sign-in stands; asks about a device when it is time. Throws `oauth_failed` for one that is unknown or too old. */
  progress(id: string, settingsOf: SettingsOf): Promise<Progress>;
  /** Gets a token, refreshed if need be, and asks whose it is; returns the provider and the account. Throws like `tokens`. */
  test(named: Named, signal: AbortSignal): Promise<string>;
  facts(): Promise<ReadonlyMap<string, Facts>>;
  /** Revokes the tokens as far as the provider can, and forgets them. Returns why they could not be revoked. */
  forget(named: Named): Promise<string | undefined>;
  sealAnew(): Promise<number>;
}

interface Deps extends SignerDeps {
  /** Undefined for a command that works on a folder without rows. */
  readonly sql?: Sql | undefined;
  readonly sealer: Sealer;
  readonly redactor: Redactor;
}

/** How long a sign-in in a browser may take, and its cookie lasts, in milliseconds. */
const SIGN_IN_MS = 600_000;
/** By how much RFC 8628 asks to lengthen the pause, in milliseconds. */
const SLOWER_MS = 5_000;
/** How long revoking may take, in milliseconds: a provider that hangs does not keep a connection from being deleted. */
const REVOKE_MS = 5_000;

/** The parts of the sign-ins. */
interface Parts {
  readonly store: TokenStore | undefined;
  readonly attempts: Attempts | undefined;
  readonly signerOf: (settings: Settings) => Promise<Signer>;
  readonly now: () => number;
}

export function createSignIns(deps: Deps): SignIns {
  const { sql, now } = deps;
  const store = sql && createTokenStore({ ...deps, sql });
  const attempts = sql && createAttempts({ ...deps, sql });
  const signerOf = createSigners(deps);
  const parts: Parts = { store, attempts, signerOf, now };
  const tokens = createAccessTokens({ store, signerOf, now });
  return {
    tokens,
    start: (named, redirect) => start(parts, named, redirect),
    async consent(state, settingsOf) {
      const attempt = await begun(parts, state);
      if (attempt.outcome !== undefined) throw failed('This sign-in has ended already: begin again.');
      const { settings } = unchanged(attempt, settingsOf);
      return consentAddress(await signerOf(settings), settings, attempt.secrets);
    },
    finish: (answer, isSameBrowser, settingsOf) => finish(parts, { answer, isSameBrowser, settingsOf }),
    async progress(id, settingsOf) {
      const attempt = await stored(attempts).find(id);
      if (attempt === undefined)
        throw failed('This sign-in is unknown here, or its time is over: begin again.');
      if (attempt.outcome !== undefined) return attempt.outcome;
      return attempt.secrets.verifier === '' ? byDevice(parts, attempt, settingsOf) : { state: 'waiting' };
    },
    async test(named, signal) {
      const { token } = await tokens.get(named, signal);
      const signer = await signerOf(named.settings);
      const known = (await store?.find(named.name))?.facts?.account;
      const account = (await accountOf(signer, { access: token, account: undefined })) ?? known;
      return account === undefined ? signer.provider.title : `${signer.provider.title}, as ${account}`;
    },
    facts: async () => (await store?.facts()) ?? new Map(),
    sealAnew: async () => (await store?.sealAnew()) ?? 0,
    async forget({ name, settings }) {
      const found = await store?.find(name);
      const token = found?.tokens?.refresh ?? found?.tokens?.access;
      const isTheirs = found?.facts?.print === printOf(settings);
      const failure = token !== undefined && isTheirs ? await revoked(parts, settings, token) : undefined;
      await store?.remove(name);
      return failure;
    },
  };
}

async function start({ attempts, signerOf }: Parts, named: Named, redirect: string): Promise<Started> {
  const { name, settings } = named;
  if (isOwn(settings))
    throw failed(`The connection ${name} signs in by itself (${settings.grant}); test it instead.`);
  const signer = await signerOf(settings);
  const common = { redirect, print: printOf(settings) };
  if (settings.grant === 'device') {
    const code = await deviceCode(signer, settings);
    const secrets = { ...common, state: code.deviceCode, verifier: '', everyMs: code.everyMs };
    const { id, until } = await stored(attempts).start(name, secrets, code.lifetimeMs);
    return { id, by: 'device', address: code.address, code: code.userCode, until };
  }
  const secrets = { ...common, state: randomText(), verifier: randomText(), everyMs: 0 };
  // Settings that cannot work fail here, not in the browser.
  await consentAddress(signer, settings, secrets);
  const { id, until } = await stored(attempts).start(name, secrets, SIGN_IN_MS);
  return { id, by: 'browser', state: secrets.state, until };
}

interface Answer {
  readonly answer: URLSearchParams;
  readonly isSameBrowser: (id: string) => boolean;
  readonly settingsOf: SettingsOf;
}

async function finish(parts: Parts, { answer, isSameBrowser, settingsOf }: Answer): Promise<Finished> {
  const at = stored(parts.attempts);
  let connection: string | undefined;
  try {
    const attempt = await begun(parts, answer.get('state') ?? '');
    if (!isSameBrowser(attempt.id))
      throw failed(
        'This browser did not begin the sign-in: open the address of the sign-in here, and begin again.',
      );
    connection = attempt.connection;
    if (!(await at.claim(attempt.id)))
      throw failed('The answer of the provider was used already: begin again.');
    const outcome = await exchanged(parts, attempt, answer, settingsOf);
    await at.end(attempt.id, outcome);
    return { connection, outcome };
  } catch (error) {
    if (!(error instanceof WeftError)) throw error;
    return { connection, outcome: failedBy(error) };
  }
}

async function exchanged(
  parts: Parts,
  attempt: Attempt,
  answer: URLSearchParams,
  settingsOf: SettingsOf,
): Promise<Outcome> {
  try {
    const { settings } = unchanged(attempt, settingsOf);
    const signer = await parts.signerOf(settings);
    refuseRefusal(answer, signer.provider.title);
    const given = await byCode(signer, answer, attempt.secrets, parts.now);
    return await keep(parts, unchanged(attempt, settingsOf), given);
  } catch (error) {
    if (error instanceof WeftError) return failedBy(error);
    await stored(parts.attempts).end(attempt.id, failedBy(error));
    throw error;
  }
}

async function byDevice(parts: Parts, attempt: Attempt, settingsOf: SettingsOf): Promise<Progress> {
  const { id, secrets } = attempt;
  const at = stored(parts.attempts);
  if (!(await at.turn(id, secrets.everyMs))) return { state: 'waiting' };
  try {
    const named = unchanged(attempt, settingsOf);
    const given = await byDeviceCode(await parts.signerOf(named.settings), secrets.state, parts.now);
    if (given === 'slower') await at.slower(id, SLOWER_MS);
    if (given === undefined || given === 'slower') return { state: 'waiting' };
    if (!(await at.claim(id))) return { state: 'waiting' };
    const outcome = await keep(parts, named, given);
    await at.end(id, outcome);
    return outcome;
  } catch (error) {
    if (error instanceof WeftError && error.transient) return { state: 'waiting' };
    const outcome = failedBy(error);
    await at.end(id, outcome);
    return outcome;
  }
}

async function keep(
  { store, signerOf, now }: Parts,
  { name, settings }: Named,
  given: Given,
): Promise<Outcome> {
  const named = await withAccount(await signerOf(settings), given);
  const facts = factsOf(named, settings, undefined, now);
  await stored(store).put(name, tokensOf(named, undefined), facts);
  return { state: 'connected', ...(facts.account !== undefined && { account: facts.account }) };
}

async function revoked({ signerOf }: Parts, settings: Settings, token: string): Promise<string | undefined> {
  try {
    const signer = await signerOf({ ...settings, timeoutMs: Math.min(settings.timeoutMs, REVOKE_MS) });
    if (signer.provider.revoke === undefined)
      return `${signer.provider.title} has no address that revokes tokens.`;
    await revoke(signer, token);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function begun({ attempts }: Parts, state: string): Promise<Attempt> {
  const found = await stored(attempts).find(attemptId(state));
  if (found !== undefined) return found;
  throw failed('This sign-in is unknown here, or its ten minutes are over: begin again.');
}

/** The settings that the sign-in began with. */
function unchanged({ connection, secrets }: Attempt, settingsOf: SettingsOf): Named {
  const settings = settingsOf(connection);
  if (printOf(settings) === secrets.print) return { name: connection, settings };
  throw failed('The connection was changed while somebody signed in: begin again.');
}

function stored<T>(part: T | undefined): T {
  if (part !== undefined) return part;
  throw failed('Start the server: a sign-in is stored there.');
}

function failed(message: string): WeftError {
  return new WeftError('oauth_failed', message);
}

/** Throws `oauth_failed` if the answer says that the sign-in failed. */
function refuseRefusal(answer: URLSearchParams, title: string): void {
  const code = answer.get('error')?.slice(0, 100);
  if (code === undefined) return;
  const words = answer.get('error_description')?.slice(0, 300);
  const said = words === undefined ? code : `${code}: ${words}`;
  if (code === 'access_denied')
    throw failed(`The consent was refused at ${title} (${said}). Nothing was connected.`);
  throw failed(`${title} ended the sign-in (${said}).`);
}
