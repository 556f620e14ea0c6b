import type { webcrypto } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { WeftError } from '#engine';
import { providerFailure } from './failures.ts';
import { fieldIn } from './provider.ts';
import { accountName } from './provider-http.ts';
import type { Settings } from './settings.ts';
import type { Signer } from './signer.ts';

/** The tokens and facts that a provider gave. */
export interface Given {
  readonly access: string;
  readonly refresh: string | undefined;
  /** Unix milliseconds by our clock; undefined if the provider does not say. */
  readonly expiresAt: number | undefined;
  /** The scopes that it granted; undefined if it granted what was asked for. */
  readonly scopes: readonly string[] | undefined;
  /** The name of the account, if the answer has it. */
  readonly account: string | undefined;
  /** The address of the API, if the answer has it. */
  readonly address: string | undefined;
}

type Now = () => number;

/** The address where a person signs in and consents. */
export async function consentAddress(
  { provider, client }: Signer,
  settings: Settings,
  asked: { readonly state: string; readonly verifier: string; readonly redirect: string },
): Promise<string> {
  if (provider.authorize === '')
    throw new WeftError(
      'connection_refused',
      `${provider.title} has no address where people sign in: enter it, or choose another grant.`,
    );
  const url = new URL(provider.authorize);
  const fields = {
    ...provider.parameters,
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: asked.redirect,
    state: asked.state,
    ...(provider.pkce && {
      code_challenge: await oauth.calculatePKCECodeChallenge(asked.verifier),
      code_challenge_method: 'S256',
    }),
  };
  const scope = scopeText(provider, settings);
  if (scope !== '') url.searchParams.set('scope', scope);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url.href;
}

/** Exchanges the code of an answer for tokens; checks `state` and `iss` (RFC 9207) first. */
export function byCode(
  signer: Signer,
  answer: URLSearchParams,
  asked: { readonly state: string; readonly verifier: string; readonly redirect: string },
  now: Now,
): Promise<Given> {
  return exchange(signer, now, async ({ server, client, auth, options, provider }) => {
    const checked = oauth.validateAuthResponse(withIssuer(signer, answer), client, answer, asked.state);
    const verifier = provider.pkce ? asked.verifier : oauth.nopkce;
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      checked,
      asked.redirect,
      verifier,
      options,
    );
    return oauth.processGenericTokenEndpointResponse(server, client, response);
  });
}

/** A provider whose issuer is not known may name one on the host where people sign in, and no other. */
function withIssuer({ server, provider }: Signer, answer: URLSearchParams): oauth.AuthorizationServer {
  const named = answer.get('iss');
  if (provider.issuer !== undefined || named === null || !URL.canParse(named)) return server;
  return new URL(named).host === new URL(provider.authorize).host ? { ...server, issuer: named } : server;
}

export function byRefreshToken(signer: Signer, token: string, now: Now): Promise<Given> {
  return exchange(signer, now, async ({ server, client, auth, options }) =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, token, options),
    ),
  );
}

/** For grants without a person: `client` and `jwt`. */
export function byItself(signer: Signer, settings: Settings, now: Now): Promise<Given> {
  return settings.grant === 'jwt' ? byKey(signer, settings, now) : byClient(signer, settings, now);
}

function byClient(signer: Signer, settings: Settings, now: Now): Promise<Given> {
  const { provider } = signer;
  const scope = settings.scopes.join(provider.separator ?? ' ');
  const fields = { ...provider.parameters, ...(scope !== '' && { scope }) };
  return exchange(signer, now, async ({ server, client, auth, options }) =>
    oauth.processClientCredentialsResponse(
      server,
      client,
      await oauth.clientCredentialsGrantRequest(server, client, auth, fields, options),
    ),
  );
}

/** A key of a service account, as its JSON file has it. */
const ServiceAccount = z.object({
  client_email: z.string().min(1),
  private_key: z.string().startsWith('-----BEGIN'),
  private_key_id: z.string().optional(),
});

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Seconds that an assertion is valid; Google takes at most an hour. */
const ASSERTED = 600;
/** A clock that differs by more is not a network's delay. In milliseconds. */
const MAX_SKEW_MS = 60_000;

/** JWT bearer (RFC 7523). If the provider's clock differs, it is asked once more by its own time. */
async function byKey(signer: Signer, settings: Settings, now: Now): Promise<Given> {
  try {
    return await byAssertion(signer, settings, now, 0);
  } catch (error) {
    const skew = signer.net.ahead();
    if (!(error instanceof WeftError) || Math.abs(skew) < MAX_SKEW_MS) throw error;
    return byAssertion(signer, settings, now, skew);
  }
}

async function byAssertion(signer: Signer, settings: Settings, now: Now, skew: number): Promise<Given> {
  const { provider } = signer;
  const account = serviceAccountIn(settings.secret);
  const seconds = Math.floor((now() + skew) / 1000);
  const assertion = await new SignJWT({
    ...(settings.scopes.length > 0 && { scope: settings.scopes.join(' ') }),
    ...(settings.subject !== '' && { sub: settings.subject }),
  })
    .setProtectedHeader({
      alg: 'RS256',
      typ: 'JWT',
      ...(account.private_key_id && { kid: account.private_key_id }),
    })
    .setIssuer(account.client_email)
    .setAudience(provider.token)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + ASSERTED)
    .sign(await privateKey(account.private_key));
  const given = await exchange(signer, now, async ({ server, client, options }) =>
    oauth.processGenericTokenEndpointResponse(
      server,
      client,
      // The assertion says who asks.
      await oauth.genericTokenEndpointRequest(server, client, () => {}, JWT_BEARER, { assertion }, options),
    ),
  );
  return { ...given, account: settings.subject || account.client_email };
}

function serviceAccountIn(text: string): z.output<typeof ServiceAccount> {
  try {
    return ServiceAccount.parse(JSON.parse(text));
  } catch {
    throw new WeftError(
      'connection_refused',
      'The secret is not the JSON file of a service account’s key: it has `client_email` and `private_key`.',
    );
  }
}

async function privateKey(pem: string): Promise<webcrypto.CryptoKey> {
  try {
    return await importPKCS8(pem, 'RS256');
  } catch {
    throw new WeftError('connection_refused', 'The `private_key` of the service account is damaged.');
  }
}

/** A code that a person types on another device. */
export interface DeviceCode {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly address: string;
  /** Milliseconds between two questions. */
  readonly everyMs: number;
  /** Milliseconds that the code lives. */
  readonly lifetimeMs: number;
}

export async function deviceCode(signer: Signer, settings: Settings): Promise<DeviceCode> {
  const { provider, server, client, auth, options } = signer;
  if (provider.device === undefined)
    throw new WeftError('connection_refused', `${provider.title} has no address for codes of devices.`);
  const scope = scopeText(provider, settings);
  try {
    const given = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(server, client, auth, scope === '' ? {} : { scope }, options),
    );
    return {
      deviceCode: given.device_code,
      userCode: given.user_code,
      address: given.verification_uri_complete ?? given.verification_uri,
      everyMs: (given.interval ?? 5) * 1000,
      lifetimeMs: given.expires_in * 1000,
    };
  } catch (error) {
    throw providerFailure(provider.title, error);
  }
}

/** Undefined while the person has not decided; `slower` if the provider was asked too often. */
export async function byDeviceCode(
  signer: Signer,
  code: string,
  now: Now,
): Promise<Given | 'slower' | undefined> {
  const { server, client, auth, options, provider } = signer;
  try {
    const answer = await oauth.processDeviceCodeResponse(
      server,
      client,
      await oauth.deviceCodeGrantRequest(server, client, auth, code, options),
    );
    return given(signer, answer, now);
  } catch (error) {
    const code = error instanceof oauth.ResponseBodyError ? error.error : undefined;
    if (code === 'authorization_pending') return undefined;
    if (code === 'slow_down') return 'slower';
    if (code === 'access_denied' || code === 'expired_token')
      throw new WeftError(
        'oauth_failed',
        code === 'access_denied'
          ? `${provider.title} says that the person refused.`
          : 'The code has expired.',
      );
    throw providerFailure(provider.title, error);
  }
}

/** Rejects like `providerFailure`. */
export async function revoke(signer: Signer, token: string): Promise<void> {
  const { server, client, auth, options, provider } = signer;
  try {
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, auth, token, options),
    );
  } catch (error) {
    throw providerFailure(provider.title, error);
  }
}

/** The name of the account of a token; undefined if the provider does not say. Throws `connection_refused` for a refused token. */
export async function accountOf(
  { provider, net }: Signer,
  { access, account }: Pick<Given, 'access' | 'account'>,
): Promise<string | undefined> {
  if (account !== undefined || provider.account === undefined) return account;
  const { url, post, read } = provider.account;
  const answer = await net.fetch(url, {
    method: post === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${access}`,
      ...provider.headers,
      ...(post !== undefined && { 'content-type': 'application/json' }),
    },
    body: post,
  });
  if (answer.status === 401)
    throw new WeftError('connection_refused', `${provider.title} refuses the access token (status 401).`);
  if (!answer.ok) return undefined;
  const found = read((await answer.json()) as Record<string, unknown>);
  return textOf(typeof found === 'object' ? accountName(found) : found);
}

async function exchange(
  signer: Signer,
  now: Now,
  ask: (signer: Signer) => Promise<oauth.TokenEndpointResponse>,
): Promise<Given> {
  try {
    return given(signer, await ask(signer), now);
  } catch (error) {
    throw providerFailure(signer.provider.title, error);
  }
}

function given({ provider }: Signer, answer: oauth.TokenEndpointResponse, now: Now): Given {
  const seconds = answer.expires_in ?? provider.lifetime;
  const { scope } = answer;
  return {
    access: answer.access_token,
    refresh: answer.refresh_token,
    expiresAt: seconds === undefined ? undefined : now() + seconds * 1000,
    scopes: scope === undefined || scope === '' ? undefined : scope.split(/[\s,]+/).filter(Boolean),
    account: textOf(provider.accountIn?.(answer) ?? fieldIn(answer, 'weft_account')),
    address: textOf(provider.addressIn?.(answer)),
  };
}

function scopeText({ always = [], separator = ' ' }: Signer['provider'], { scopes }: Settings): string {
  return [...new Set([...always, ...scopes])].join(separator);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 320) : undefined;
}
