import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A real authorization server (`oidc-provider`) with an API that takes its tokens. Everybody who opens its page signs in as
 * ada@example.com, and consents unless the test says otherwise.
 */
export interface AuthorizationServer {
  readonly origin: string;
  /** Requests of the token address, by their `grant_type`. */
  readonly asked: string[];
  /** Whether people consent. */
  consents: boolean;
  /** Answers in place of the token address; undefined: it answers itself. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** The access tokens that came to the API, in order. */
  readonly came: string[];
  /** Answers of the API to a valid token; 200 with the path by default. */
  api: (request: IncomingMessage, response: ServerResponse) => void;
  /** Makes an access token invalid at once. */
  revokeAccess(token: string): Promise<void>;
  /** Opens an address of the sign-in as a browser does, through all pages of the provider, and returns the last redirect. */
  consent(address: string): Promise<string>;
}

interface Options {
  readonly redirects: readonly string[];
  /** Seconds that an access token lives. */
  readonly lifetime?: number;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' };

export const CLIENT = { id: 'weft', secret: 'the-client-secret-of-weft' } as const;

interface Tokens {
  find(token: string): Promise<{ destroy(): Promise<void> } | undefined>;
}

interface ProviderApi {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  readonly AccessToken: Tokens;
  readonly ClientCredentials: Tokens;
  readonly Grant: new (given: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ prompt: { name: string }; params: { client_id: string; scope?: string } }>;
  interactionResult(request: IncomingMessage, response: ServerResponse, result: object): Promise<string>;
}

export async function startAuthorizationServer({
  redirects,
  lifetime = 600,
}: Options): Promise<AuthorizationServer> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const http = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const provider = await openProvider(origin, redirects, lifetime);
  const callback = provider.callback();
  const server: AuthorizationServer = {
    origin,
    asked: [],
    consents: true,
    instead: undefined,
    came: [],
    api: (request, response) => json(response, 200, { path: request.url }),
    async revokeAccess(token) {
      await (await provider.AccessToken.find(token))?.destroy();
    },
    consent: (address) => browse(address, origin),
  };
  handle = (request, response) => {
    const { url = '/' } = request;
    if (url.startsWith('/interaction/')) void interact(provider, server, request, response);
    else if (url.startsWith('/api')) void answerApi(provider, server, request, response);
    else if (url === '/token') void answerToken(server, request, response, callback);
    else callback(request, response);
  };
  return server;
}

async function openProvider(
  issuer: string,
  redirects: readonly string[],
  lifetime: number,
): Promise<ProviderApi> {
  // @ts-expect-error the package has no types
  const { Provider } = (await import('oidc-provider')) as {
    Provider: new (issuer: string, config: object) => ProviderApi;
  };
  // @ts-expect-error nor has its store in memory
  const store = (await import('oidc-provider/lib/adapters/memory_adapter.js')) as {
    default: new () => object;
  };
  return new Provider(issuer, {
    // It warns of its own store, but not of one that is made of it.
    adapter: class extends store.default {},
    jwks: { keys: [KEY] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [...redirects],
        grant_types: [
          'authorization_code',
          'refresh_token',
          'client_credentials',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        scope: 'openid email offline_access sheets:read sheets:write',
      },
    ],
    scopes: ['openid', 'email', 'offline_access', 'sheets:read', 'sheets:write'],
    claims: { openid: ['sub'], email: ['email'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: 'ada@example.com' }),
    }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
    },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: {
      AccessToken: lifetime,
      ClientCredentials: lifetime,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 3600,
      Interaction: 600,
      AuthorizationCode: 60,
      DeviceCode: 600,
      IdToken: 600,
    },
    cookies: { keys: ['a key of the tests'] },
  });
}

async function interact(
  provider: ProviderApi,
  server: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params } = await provider.interactionDetails(request, response);
  const result = async (): Promise<object> => {
    if (prompt.name === 'login') return { login: { accountId: 'ada' } };
    if (!server.consents) return { error: 'access_denied', error_description: 'Ada said no' };
    const grant = new provider.Grant({ accountId: 'ada', clientId: params.client_id });
    grant.addOIDCScope(params.scope ?? '');
    return { consent: { grantId: await grant.save() } };
  };
  const to = await provider.interactionResult(request, response, await result());
  response.writeHead(303, { location: to }).end();
}

async function answerToken(
  server: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
  callback: ReturnType<ProviderApi['callback']>,
): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Buffer.concat(pieces).toString();
  server.asked.push(new URLSearchParams(body).get('grant_type') ?? '');
  if (server.instead) return server.instead(request, response);
  // It takes a body that was read already.
  callback(Object.assign(request, { body: Object.fromEntries(new URLSearchParams(body)) }), response);
}

async function answerApi(
  provider: ProviderApi,
  server: AuthorizationServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  server.came.push(token);
  const found = (await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token));
  const isValid = found !== undefined;
  if (isValid) return server.api(request, response);
  response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
  json(response, 401, { error: 'invalid_token' });
}

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Follows redirects with cookies, up to the first one that leaves the provider. */
async function browse(address: string, origin: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = address;
  for (let hops = 0; hops < 20; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const one of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null)
      throw new Error(`${next} does not redirect: ${answer.status} ${await answer.text()}`);
    next = new URL(location, next).href;
    if (!next.startsWith(origin)) return next;
  }
  throw new Error('The provider redirects without an end.');
}
