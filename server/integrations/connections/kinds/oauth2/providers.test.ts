import { generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '#engine';
import { maySendTo } from '#shared/secret.ts';
import type { ProviderHttp } from '../../../../base/outbound/client.ts';
import { createRedactor } from '../../../../base/secrets/redactor.ts';
import { openWeftSql } from '../../../../storage/database/weft-tables.ts';
import { tempFolder } from '../../../../testing/platform-bed.ts';
import { sendThrough } from '../../requests.ts';
import { providers } from './providers/all.ts';
import { type Settings, settings } from './settings.ts';
import { createSignIns } from './sign-ins.ts';
import { providerOf } from './signer.ts';

/** Providers against stand-ins that answer as the pages of the vendors say. */

const REDIRECT = 'https://weft.example/oauth/callback';
const never = new AbortController().signal;

type Answer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown };
type Respond = (request: HttpRequest) => Answer;

async function world(given: Partial<Settings>, respond: Respond) {
  const sql = openWeftSql(await tempFolder());
  onTestFinished(() => sql.close());
  const came: HttpRequest[] = [];
  const http: ProviderHttp = {
    async send(request): Promise<HttpResponse> {
      came.push(request);
      const { status = 200, headers = {}, body } = respond(request);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return {
        status,
        headers: { 'content-type': 'application/json', ...headers },
        url: request.url,
        body: (async function* () {
          yield Buffer.from(text);
        })(),
      };
    },
  };
  const sealer = { seal: (text: string) => text, unseal: (text: string) => text };
  const signIns = createSignIns({ sql, sealer, redactor: createRedactor(), http, now: Date.now });
  const own = settings.parse({ clientId: 'the-id', secret: 'the-secret', ...given });
  const settingsOf = (): Settings => own;
  return { sql, came, http, signIns, settingsOf, named: { name: 'one', settings: own } };
}

/** Signs in to a provider whose token address answers so; returns what was asked of it. */
async function connected(given: Partial<Settings>, token: Answer, account: unknown = {}) {
  const { token: address } = providerOf(settings.parse(given));
  const all = await world(given, ({ url }) => (url === address ? token : { body: account }));
  const started = await all.signIns.start(all.named, REDIRECT);
  if (started.by !== 'browser') throw new Error('It is for a browser.');
  const consent = new URL(await all.signIns.consent(started.state, all.settingsOf));
  const answer = new URLSearchParams({ code: 'the-code', state: started.state });
  const { outcome } = await all.signIns.finish(answer, () => true, all.settingsOf);
  return { ...all, consent, outcome, asked: all.came[0] as HttpRequest };
}

const text = ({ body }: HttpRequest): string => (typeof body === 'string' ? body : '');
const fields = (request: HttpRequest) => Object.fromEntries(new URLSearchParams(text(request)));
const BASIC = `Basic ${Buffer.from('the-id:the-secret').toString('base64')}`;
const TOKEN = {
  access_token: 'the-token',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'the-refresh',
};

describe.each([...providers.values()])('$title', (provider) => {
  test('its data are whole', () => {
    const { authorize, token, revoke, device, account, address, hosts, scopes, register, pages } = providerOf(
      settings.parse({ provider: provider.name }),
    );
    const addresses = [authorize, token, revoke, device, account?.url, address, register.url];
    for (const one of addresses.filter((found) => found !== undefined))
      expect(one).toMatch(/^https:\/\/[\w.-]+(?:\/|$)/);
    expect(maySendTo(hosts, new URL(address).origin)).toBe(true);
    expect(new Set(scopes.map(({ scope }) => scope)).size).toBe(scopes.length);
    for (const { label } of scopes) expect(label).toMatch(/^[A-Z].*[^.]$/);
    expect(register.steps).toMatch(/\.$/);
    for (const url of pages) expect(new URL(url).protocol).toBe('https:');
    expect(pages.length).toBeGreaterThan(0);
  });

  test('somebody signs in, by its own way', async () => {
    const [scope] = provider.scopes;
    const scopes = scope ? [scope.scope] : [];
    const { consent, asked, outcome } = await connected({ provider: provider.name, scopes }, { body: TOKEN });
    const query = Object.fromEntries(consent.searchParams);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: 'the-id',
      redirect_uri: REDIRECT,
      state: expect.stringMatching(/^[\w-]{43}$/),
      ...provider.parameters,
    });
    expect('code_challenge' in query).toBe(provider.pkce);
    for (const one of [...scopes, ...(provider.always ?? [])])
      expect((query['scope'] ?? '').split(provider.separator ?? ' ')).toContain(one);
    const body = provider.jsonBody ? (JSON.parse(text(asked)) as object) : fields(asked);
    expect(body).toMatchObject({
      grant_type: 'authorization_code',
      code: 'the-code',
      redirect_uri: REDIRECT,
    });
    expect('code_verifier' in body).toBe(provider.pkce);
    if (provider.clientAuth === 'basic') expect(asked.headers['authorization']).toBe(BASIC);
    else expect(body).toMatchObject({ client_id: 'the-id', client_secret: 'the-secret' });
    expect(asked.headers['content-type']).toMatch(provider.jsonBody ? 'json' : 'form');
    expect(outcome.state).toBe('connected');
  });
});

test.each([
  ['google', TOKEN, { email: 'ada@example.com', sub: '1' }, 'ada@example.com'],
  ['microsoft', TOKEN, { userPrincipalName: 'ada@example.com' }, 'ada@example.com'],
  [
    'slack',
    { ok: true, access_token: 't', token_type: 'bot', scope: 'chat:write', team: { name: 'Engine' } },
    {},
    'Engine',
  ],
  ['github', { access_token: 't', token_type: 'bearer', scope: 'repo,gist' }, { login: 'ada' }, 'ada'],
  ['notion', { access_token: 't', token_type: 'bearer', workspace_name: 'Notes' }, {}, 'Notes'],
  ['airtable', TOKEN, { id: 'usr1', email: 'ada@example.com' }, 'ada@example.com'],
  ['hubspot', { ...TOKEN, hub_domain: 'engine.example' }, {}, 'engine.example'],
  ['discord', TOKEN, { username: 'ada' }, 'ada'],
  [
    'linkedin',
    { access_token: 't', expires_in: 5_184_000 },
    { name: 'Ada', email: 'ada@example.com' },
    'ada@example.com',
  ],
  ['x', TOKEN, { data: { username: 'ada' } }, 'ada'],
  [
    'salesforce',
    { ...TOKEN, instance_url: 'https://engine.my.salesforce.com' },
    { preferred_username: 'ada@engine' },
    'ada@engine',
  ],
  ['atlassian', TOKEN, { email: 'ada@example.com', name: 'Ada' }, 'ada@example.com'],
] as const)('%s says whose account it is', async (provider, body, account, name) => {
  const { outcome } = await connected({ provider }, { body }, account);
  expect(outcome).toEqual({ state: 'connected', account: name });
});

test('an account that cannot be read does not fail the sign-in', async () => {
  const { token } = providerOf(settings.parse({ provider: 'github' }));
  const all = await world({ provider: 'github' }, ({ url }) =>
    url === token ? { body: TOKEN } : { status: 500, body: '<html>' },
  );
  const started = await all.signIns.start(all.named, REDIRECT);
  const state = started.by === 'browser' ? started.state : '';
  const { outcome } = await all.signIns.finish(
    new URLSearchParams({ code: 'c', state }),
    () => true,
    all.settingsOf,
  );
  expect(outcome).toEqual({ state: 'connected' });
});

test('Slack answers 200 to failures too', async () => {
  const { outcome } = await connected({ provider: 'slack' }, { body: { ok: false, error: 'invalid_code' } });
  expect(outcome).toMatchObject({ state: 'failed', message: expect.stringContaining('invalid_code') });
});

test('Salesforce names the address of the API with the token', async () => {
  const body = { ...TOKEN, expires_in: undefined, instance_url: 'https://engine.my.salesforce.com' };
  const { signIns, named } = await connected({ provider: 'salesforce' }, { body });
  expect(await signIns.tokens.get(named, never)).toMatchObject({
    address: 'https://engine.my.salesforce.com',
  });
});

test('a tenant is part of the addresses of Microsoft', async () => {
  const { consent, asked } = await connected(
    { provider: 'microsoft', tenant: 'engine.example' },
    { body: TOKEN },
  );
  expect(consent.pathname).toBe('/engine.example/oauth2/v2.0/authorize');
  expect(asked.url).toBe('https://login.microsoftonline.com/engine.example/oauth2/v2.0/token');
});

test.each([
  ['https://github.com/login/oauth', 'connected'],
  ['https://evil.example', 'failed'],
])('a provider whose issuer is not known may name one on its own host (%s)', async (iss, state) => {
  const { token } = providerOf(settings.parse({ provider: 'github' }));
  const all = await world({ provider: 'github' }, ({ url }) => ({ body: url === token ? TOKEN : {} }));
  const started = await all.signIns.start(all.named, REDIRECT);
  const answer = new URLSearchParams({
    code: 'c',
    iss,
    state: started.by === 'browser' ? started.state : '',
  });
  expect((await all.signIns.finish(answer, () => true, all.settingsOf)).outcome.state).toBe(state);
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = JSON.stringify({
  type: 'service_account',
  client_email: 'bot@engine.iam.gserviceaccount.com',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  private_key_id: 'k1',
});
const SHEETS = 'https://www.googleapis.com/auth/spreadsheets';

const serviceAccount: Partial<Settings> = {
  provider: 'google',
  grant: 'jwt',
  clientId: '',
  secret: KEY,
  scopes: [SHEETS],
};

test('a service account of Google signs in with its key', async () => {
  const all = await world({ ...serviceAccount, subject: 'ada@example.com' }, () => ({
    body: { access_token: 'the-token', token_type: 'Bearer', expires_in: 3599 },
  }));
  expect(await all.signIns.tokens.get(all.named, never)).toMatchObject({ token: 'the-token' });
  expect(await all.signIns.tokens.get(all.named, never)).toMatchObject({ token: 'the-token' });
  expect(all.came.length).toBe(1);
  const { grant_type: grant, assertion = '', client_id: client } = fields(all.came[0] as HttpRequest);
  expect([grant, client]).toEqual(['urn:ietf:params:oauth:grant-type:jwt-bearer', undefined]);
  expect(decodeProtectedHeader(assertion)).toMatchObject({ alg: 'RS256', kid: 'k1' });
  const { payload } = await jwtVerify(assertion, publicKey, {
    audience: 'https://oauth2.googleapis.com/token',
  });
  expect(payload).toMatchObject({
    iss: 'bot@engine.iam.gserviceaccount.com',
    sub: 'ada@example.com',
    scope: SHEETS,
  });
});

test('a request below the address of a service goes there with the token, if the provider has its host', async () => {
  const all = await world(serviceAccount, ({ url }) => ({
    body: url.endsWith('/token') ? { access_token: 'the-token', token_type: 'Bearer', expires_in: 3599 } : {},
  }));
  const deps = { http: all.http, signIns: async () => all.signIns, turn: () => undefined };
  const by = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'o' };
  const used = { kind: 'oauth2' as const, settings: all.named.settings };
  const sent = async (base: string, url: string): Promise<string | undefined> => {
    const request = {
      method: 'GET',
      headers: {},
      body: undefined,
      redirects: 0,
      timeoutMs: 1000,
      maxBytes: 1000,
      base,
      url,
    };
    await sendThrough(deps, { name: 'one', used, by }, request, never);
    return all.came.at(-1)?.url;
  };
  const sheets = 'https://sheets.googleapis.com/v4';
  expect(await sent(sheets, '/spreadsheets/x')).toBe(`${sheets}/spreadsheets/x`);
  expect(all.came.at(-1)?.headers).toMatchObject({ authorization: 'Bearer the-token' });
  // Below the address of the connection, which is a host of the provider.
  expect(await sent('https://elsewhere.example', '/x')).toBe('https://www.googleapis.com/x');
});

test.each([3_600_000, -3_600_000])(
  'where the clocks differ by %i ms the assertion is made by the time of the provider',
  async (skew) => {
    const theirs = (): number => Date.now() + skew;
    const all = await world(serviceAccount, (request) => {
      const { iat = 0 } = JSON.parse(
        Buffer.from(fields(request)['assertion']?.split('.')[1] ?? '', 'base64url').toString(),
      ) as { iat?: number };
      const headers = { date: new Date(theirs()).toUTCString() };
      if (Math.abs(iat * 1000 - theirs()) > 300_000)
        return {
          status: 400,
          headers,
          body: { error: 'invalid_grant', error_description: 'Invalid JWT: iat' },
        };
      return { headers, body: TOKEN };
    });
    expect(await all.signIns.tokens.get(all.named, never)).toMatchObject({ token: 'the-token' });
    expect(all.came.length).toBe(2);
  },
);

test.each([
  ['no JSON', 'hello'],
  ['another JSON', '{"client_email":"a"}'],
  ['a damaged key', JSON.stringify({ client_email: 'a', private_key: '-----BEGIN PRIVATE KEY-----\nxx' })],
])('a key that is %s is refused before anything is sent', async (_, secret) => {
  const all = await world({ ...serviceAccount, secret }, () => ({ body: TOKEN }));
  await expect(all.signIns.tokens.get(all.named, never)).rejects.toMatchObject({
    code: 'connection_refused',
  });
  expect(all.came).toEqual([]);
});
