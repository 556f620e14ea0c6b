import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ConnectionInfo } from '#shared/connection.ts';
import type { SignInProgress, StartedSignIn } from '#shared/sign-in.ts';
import {
  type AuthorizationServer,
  CLIENT,
  startAuthorizationServer,
} from '../../integrations/connections/kinds/oauth2/testing/authorization-server.ts';
import { httpTrigger } from '../../../tests/support/flows.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';

type Headers = Record<string, string>;

interface World {
  readonly bed: Bed;
  readonly server: AuthorizationServer;
  readonly data: <T>(method: string, path: string, body?: unknown) => Promise<T>;
}

async function world(config: Parameters<typeof startBed>[0] = {}): Promise<World> {
  const bed = await startBed(config);
  const redirect = `${config.publicUrl ?? bed.url}/oauth/callback`;
  const server = await startAuthorizationServer({ redirects: [redirect] });
  const owner = await signIn(bed);
  const data = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      method,
      headers: {
        ...owner,
        origin: bed.url,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return (JSON.parse(text) as { data: T }).data;
  };
  await data('PUT', '/connections/sheets', {
    kind: 'oauth2',
    settings: {
      issuer: server.origin,
      clientId: CLIENT.id,
      secret: CLIENT.secret,
      address: `${server.origin}/api`,
      scopes: ['openid', 'email', 'sheets:read'],
    },
    grants: { flows: ['f'], drafts: true },
  });
  return { bed, server, data };
}

/** Opens an address of the server and returns the answer with its cookie. */
async function open(bed: Bed, address: string, headers: Headers = {}) {
  const { pathname, search } = new URL(address);
  const answer = await fetch(`${bed.url}${pathname}${search}`, { redirect: 'manual', headers });
  const text = await answer.text();
  const set = answer.headers.get('set-cookie') ?? '';
  return {
    status: answer.status,
    text,
    set,
    cookie: set.split(';', 1)[0] ?? '',
    to: answer.headers.get('location'),
  };
}

/** A sign-in up to the answer of the provider, which the browser has still to bring. */
async function answered({ bed, server, data }: World) {
  const started = await data<StartedSignIn>('POST', '/connections/sheets/sign-ins');
  const begun = await open(bed, started.address);
  return { started, begun, back: await server.consent(begun.to ?? '') };
}

test('a pop-up signs in, and the connection says who it is', async () => {
  const all = await world();
  const { bed, data } = all;
  const { started, begun, back } = await answered(all);
  expect(started).toMatchObject({
    by: 'browser',
    address: expect.stringContaining(`${bed.url}/oauth/start?`),
  });
  expect(begun.set).toMatch(/^weft_sign_in_[\w-]+=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  const state = () => data<SignInProgress>('GET', `/connections/sheets/sign-ins/${started.id}`);
  expect(await state()).toEqual({ state: 'waiting' });
  const ended = await open(bed, back, { cookie: begun.cookie });
  expect(ended).toMatchObject({ status: 200, text: expect.stringContaining('Connected as ada@example.com') });
  expect(ended.set).toMatch(/=; Max-Age=0;/);
  expect(await state()).toEqual({ state: 'connected', account: 'ada@example.com' });
  const [info] = await data<ConnectionInfo[]>('GET', '/connections');
  expect(info?.account).toMatchObject({ state: 'connected', name: 'ada@example.com', may: ['sheets:read'] });
  // The same answer once more.
  const again = await open(bed, back, { cookie: begun.cookie });
  expect(again).toMatchObject({ status: 400, text: expect.stringContaining('used already') });
});

test('with a public address the redirect and the cookie are its, whatever the Host header says', async () => {
  const all = await world({ publicUrl: 'https://weft.example' });
  const { started, begun, back } = await answered(all);
  expect(started.address).toMatch(/^https:\/\/weft\.example\/oauth\/start\?state=/);
  expect(begun.set).toMatch(
    /^__Host-weft_sign_in_[\w-]+=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(back).toMatch(/^https:\/\/weft\.example\/oauth\/callback\?/);
  expect(await open(all.bed, back, { cookie: begun.cookie })).toMatchObject({ status: 200 });
});

test('an answer that another browser brings is refused, and the right one may still come', async () => {
  const all = await world();
  const { begun, back } = await answered(all);
  for (const cookie of ['', 'weft_sign_in_x=y', begun.cookie.replace(/.$/, '-')])
    expect(await open(all.bed, back, { cookie })).toMatchObject({
      status: 400,
      text: expect.stringContaining('did not begin'),
    });
  expect(await open(all.bed, back, { cookie: begun.cookie })).toMatchObject({ status: 200 });
});

test.each([
  ['another state', (url: URL) => url.searchParams.set('state', 'another'), 'unknown here'],
  ['no state', (url: URL) => url.searchParams.delete('state'), 'unknown here'],
  ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), 'issuer'],
  ['no issuer where the provider promised one', (url: URL) => url.searchParams.delete('iss'), 'issuer'],
  ['no code', (url: URL) => url.searchParams.delete('code'), 'code'],
  ['a stolen code', (url: URL) => url.searchParams.set('code', 'stolen'), 'invalid_grant'],
  ['a code that comes twice', (url: URL) => url.searchParams.append('code', 'second'), 'code'],
])('an answer with %s connects nothing', async (_, change, words) => {
  const all = await world();
  const { begun, back } = await answered(all);
  const url = new URL(back);
  change(url);
  const ended = await open(all.bed, url.href, { cookie: begun.cookie });
  expect(ended).toMatchObject({ status: 400, text: expect.stringContaining(words) });
  const [info] = await all.data<ConnectionInfo[]>('GET', '/connections');
  expect(info?.account).toMatchObject({ state: 'none' });
});

test('a refused consent is said on both sides', async () => {
  const all = await world();
  all.server.consents = false;
  const { started, begun, back } = await answered(all);
  const ended = await open(all.bed, back, { cookie: begun.cookie });
  expect(ended).toMatchObject({ status: 400, text: expect.stringContaining('refused') });
  expect(await all.data('GET', `/connections/sheets/sign-ins/${started.id}`)).toMatchObject({
    state: 'failed',
    code: 'oauth_failed',
    message: expect.stringContaining('Ada said no'),
  });
});

test('two sign-ins at once do not disturb each other', async () => {
  const all = await world();
  const [one, two] = [await answered(all), await answered(all)];
  const cookie = `${one.begun.cookie}; ${two.begun.cookie}`;
  expect((await open(all.bed, two.back, { cookie })).status).toBe(200);
  expect((await open(all.bed, one.back, { cookie })).status).toBe(200);
});

test('a start that is unknown or over leads nowhere', async () => {
  const all = await world();
  expect(await open(all.bed, 'http://x/oauth/start?state=unknown')).toMatchObject({ status: 400, to: null });
  const { begun, back, started } = await answered(all);
  await open(all.bed, back, { cookie: begun.cookie });
  expect(await open(all.bed, started.address)).toMatchObject({
    status: 400,
    text: expect.stringContaining('ended already'),
  });
});

test('no token or secret stands in a file, an answer or a page', async () => {
  const all = await world();
  const { begun, back } = await answered(all);
  const page = await open(all.bed, back, { cookie: begun.cookie });
  const flow = {
    format: 1,
    id: 'f',
    nodes: {
      ask: { operator: 'http.request', params: { connection: 'sheets', url: '/items' } },
      trigger: httpTrigger('/f'),
    },
    edges: [{ from: 'trigger.out', to: 'ask.in' }],
  };
  await all.data('POST', '/flows', { flow });
  // The service sends back what it got.
  all.server.api = (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ got: request.headers.authorization }));
  };
  const answer = await fetch(`${all.bed.url}/api/v1/awel/trigger/f`);
  // Its caller gets what the flow answers; what is kept of it is masked.
  expect(await answer.json()).toMatchObject({ body: { got: expect.stringContaining('Bearer ') } });
  const told = [page.text, JSON.stringify(await all.data('GET', '/connections'))];
  for (const path of ['/runs', '/audit']) told.push(JSON.stringify(await all.data('GET', path)));
  const [token = ''] = all.server.came;
  expect(token.length).toBeGreaterThan(20);
  await all.bed.stop();
  const files = filesIn(all.bed.ctx.config.data).map((path) => readFileSync(path).toString('latin1'));
  expect(files.length).toBeGreaterThan(2);
  for (const canary of [token, CLIENT.secret])
    for (const text of [...told, ...files]) expect(text).not.toContain(canary);
});

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const found = statSync(path);
    return found.isDirectory() ? filesIn(path) : found.isFile() ? [path] : [];
  });
}
