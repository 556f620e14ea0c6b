import { createHash } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { WeftError } from '#engine';
import type { ProviderHttp } from '../../../../base/outbound/client.ts';
import { proxyOf } from '../../proxy-fields.ts';
import { providerFailure } from './failures.ts';
import { defineProvider, type Provider } from './provider.ts';
import { type ProviderFetch, providerFetch } from './provider-http.ts';
import { providers } from './providers/all.ts';
import type { Settings } from './settings.ts';

/** A provider and an app that is registered there, ready to be asked. */
export interface Signer {
  readonly provider: Provider;
  readonly server: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
  readonly net: ProviderFetch;
  /** The options of every call of oauth4webapi. */
  readonly options: {
    readonly [oauth.customFetch]: ProviderFetch['fetch'];
    readonly [oauth.allowInsecureRequests]: true;
  };
}

export interface SignerDeps {
  readonly http: ProviderHttp;
  readonly now: () => number;
}

/** The settings as a provider; for one by hand with what was found in its description. */
export function providerOf(settings: Settings): Provider {
  const known = providers.get(settings.provider);
  if (known === undefined) return byHand(settings);
  const tenant = settings.tenant || known.tenant?.default || '';
  const filled = (text: string): string => text.replaceAll('{tenant}', tenant);
  return {
    ...known,
    authorize: filled(known.authorize),
    token: filled(known.token),
    ...(known.revoke !== undefined && { revoke: filled(known.revoke) }),
    ...(known.device !== undefined && { device: filled(known.device) }),
    ...(known.account && { account: { ...known.account, url: filled(known.account.url) } }),
  };
}

function byHand(settings: Settings): Provider {
  const { accountUrl, clientAuth, issuer, authorizeUrl, tokenUrl, revokeUrl, deviceUrl } = settings;
  const place = [issuer, tokenUrl].find((text) => text !== '');
  return defineProvider({
    name: 'other',
    title: place === undefined ? 'The provider' : new URL(place).host,
    doc: '',
    grants: ['code', 'device', 'client', 'jwt'],
    authorize: authorizeUrl,
    token: tokenUrl,
    ...(issuer !== '' && { issuer }),
    ...(revokeUrl !== '' && { revoke: revokeUrl }),
    ...(deviceUrl !== '' && { device: deviceUrl }),
    hosts: [],
    address: settings.address,
    scopes: [],
    pkce: true,
    clientAuth,
    parameters: settings.parameters,
    ...(accountUrl !== '' && { account: { url: accountUrl, read: (answer) => answer } }),
    register: { url: '', steps: '' },
    pages: [],
  });
}

/** The settings that decide where secrets and tokens go: a token is used with the same ones only. */
export function printOf(settings: Settings): string {
  const { scopes, headers: _, timeoutMs: _t, secret: _s, ...binding } = settings;
  // A sign-in of a person stays valid when more scopes are wanted; its account then names the missing ones.
  const wanted = settings.grant === 'client' || settings.grant === 'jwt' ? scopes.toSorted() : [];
  const sorted = Object.entries({ ...binding, wanted }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('base64url');
}

/** Throws `connection_refused` for settings that lack something, and the errors of `providerFailure`. */
export function createSigners(deps: SignerDeps) {
  const descriptions = createDescriptions(deps);
  return async function signerOf(settings: Settings): Promise<Signer> {
    const { issuer, authorizeUrl, tokenUrl, revokeUrl, deviceUrl, accountUrl } = settings;
    const isOther = settings.provider === 'other';
    const typed = isOther ? [issuer, authorizeUrl, tokenUrl, revokeUrl, deviceUrl, accountUrl] : [];
    const given = providerOf(settings);
    const net = (token: string | undefined): ProviderFetch =>
      providerFetch(deps, {
        typed,
        timeoutMs: settings.timeoutMs,
        proxy: proxyOf(settings),
        token,
        jsonBody: given.jsonBody,
        ...(given.tokenAnswer && { tokenAnswer: given.tokenAnswer.bind(given) }),
      });
    const found = isOther && issuer !== '' ? await descriptions(issuer, net(undefined)) : undefined;
    const provider = found === undefined ? given : completed(given, found);
    if (provider.token === '')
      throw lacking(
        `${provider.title} has no address for tokens: enter it, or an issuer that describes itself.`,
      );
    const secret = settings.grant === 'jwt' ? '' : settings.secret;
    if (settings.clientId === '' && settings.grant !== 'jwt')
      throw lacking(
        'The client id of the app is missing: register an app with the provider and enter its id.',
      );
    const fetching = net(provider.token);
    return {
      provider,
      server: serverOf(provider, found),
      // The library wants one, although an assertion says who asks.
      client: { client_id: settings.clientId || 'service account' },
      auth: clientAuthOf(provider, secret),
      net: fetching,
      options: { [oauth.customFetch]: fetching.fetch, [oauth.allowInsecureRequests]: true },
    };
  };
}

function lacking(message: string): WeftError {
  return new WeftError('connection_refused', message);
}

function serverOf(
  provider: Provider,
  found: oauth.AuthorizationServer | undefined,
): oauth.AuthorizationServer {
  return {
    issuer: provider.issuer ?? new URL(provider.token).origin,
    token_endpoint: provider.token,
    ...(provider.authorize !== '' && { authorization_endpoint: provider.authorize }),
    ...(provider.revoke !== undefined && { revocation_endpoint: provider.revoke }),
    ...(provider.device !== undefined && { device_authorization_endpoint: provider.device }),
    ...(found?.authorization_response_iss_parameter_supported === true && {
      authorization_response_iss_parameter_supported: true,
    }),
  };
}

function clientAuthOf({ name, clientAuth }: Provider, secret: string): oauth.ClientAuth {
  if (secret === '' || clientAuth === 'none') return oauth.None();
  if (clientAuth === 'post') return oauth.ClientSecretPost(secret);
  // The library also encodes `-` and `_`, as RFC 6749 has it; ids have them, and most vendors decode nothing.
  const encoded = (text: string): string => (name === 'other' ? encodeURIComponent(text) : text);
  return (_server, { client_id: id }, _body, headers) => {
    const both = Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${both}`);
  };
}

/** Addresses by hand go before those of the description. */
function completed(given: Provider, found: oauth.AuthorizationServer): Provider {
  const or = (own: string | undefined, theirs: string | undefined) => (own ? own : theirs);
  const revoke = or(given.revoke, found.revocation_endpoint);
  const device = or(given.device, found.device_authorization_endpoint);
  const account = found.userinfo_endpoint;
  return {
    ...given,
    authorize: or(given.authorize, found.authorization_endpoint) ?? '',
    token: or(given.token, found.token_endpoint) ?? '',
    ...(revoke !== undefined && { revoke }),
    ...(device !== undefined && { device }),
    ...(given.account === undefined &&
      account !== undefined && { account: { url: account, read: (answer: unknown) => answer } }),
  };
}

/** In milliseconds. */
const KNOWN_MS = 600_000;

/** Descriptions of issuers (OpenID Connect Discovery, RFC 8414), each kept for ten minutes. */
function createDescriptions({ now }: SignerDeps) {
  const known = new Map<string, { readonly server: oauth.AuthorizationServer; readonly until: number }>();

  async function read(issuer: string, net: ProviderFetch): Promise<oauth.AuthorizationServer> {
    const url = new URL(issuer);
    const failures: unknown[] = [];
    for (const algorithm of ['oidc', 'oauth2'] as const)
      try {
        const options = { algorithm, [oauth.customFetch]: net.fetch, [oauth.allowInsecureRequests]: true };
        return await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options));
      } catch (error) {
        failures.push(error);
      }
    throw notDescribed(url, failures);
  }

  return async (issuer: string, net: ProviderFetch): Promise<oauth.AuthorizationServer> => {
    const kept = known.get(issuer);
    if (kept !== undefined && kept.until > now()) return kept.server;
    const server = await read(issuer, net);
    known.set(issuer, { server, until: now() + KNOWN_MS });
    return server;
  };
}

/** The failure to report: one of the network or of the content says more than a page that is not there. */
function notDescribed(issuer: URL, failures: readonly unknown[]): unknown {
  const isMissing = (error: unknown): boolean =>
    error instanceof oauth.OperationProcessingError &&
    error.cause instanceof Response &&
    error.cause.status === 404;
  const failure = failures.find((error) => !isMissing(error));
  if (failure instanceof WeftError) return providerFailure(issuer.host, failure);
  const isOther =
    failure instanceof oauth.OperationProcessingError && failure.code === oauth.JSON_ATTRIBUTE_COMPARISON;
  const words = failure instanceof Error ? failure.message : 'it has none';
  const reason = isOther ? 'its description names another issuer' : words;
  return new WeftError(
    'connection_failed',
    `The description of ${issuer.href} (/.well-known/openid-configuration, /.well-known/oauth-authorization-server) cannot be used: ${reason}. Correct the issuer, or enter the addresses by hand.`,
    { transient: false },
  );
}
