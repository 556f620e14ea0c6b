import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FlowDetail } from '#shared/api.ts';
import type { CreatedKey, KeyInfo } from '#shared/key.ts';
import { ask, call, type Owner, signIn, triggerPrefix } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { httpTrigger, sayFlow, write } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import {
  discard,
  product,
  type ServerSetup,
  shifted,
  startServer,
  type TestServer,
} from '../support/server.ts';

/** Who may do what, over real HTTP and through restarts. */
async function start(setup: ServerSetup = {}): Promise<TestServer> {
  const server = await startServer(setup);
  onTestFinished(() => discard(server));
  return server;
}

const HOUR_MS = 3_600_000;

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
const status = async (url: string, key: string) => (await ask(url, bearer(key))).status;

async function make(owner: Owner, name: string, scopes: string[], expiresAt?: string): Promise<CreatedKey> {
  return owner.data('POST', '/keys', { name, scopes, ...(expiresAt !== undefined && { expiresAt }) });
}

describe('keys through restarts', () => {
  test('live on, end at their time and stay revoked; a stop keeps when they were used last', async () => {
    const first = await start();
    const owner = await signIn(first);
    const lasting = await make(owner, 'lasting', ['flows:read']);
    const revoked = await make(owner, 'revoked', ['flows:read']);
    const soon = new Date(Date.now() + HOUR_MS).toISOString();
    const ending = await make(owner, 'ending', ['flows:read'], soon);
    for (const { key } of [ending, lasting, revoked]) {
      expect(await status(`${first.url}/api/v1/flows`, key)).toBe(200);
    }
    await owner.data('DELETE', `/keys/${revoked.id}`);
    expect(await status(`${first.url}/api/v1/flows`, revoked.key)).toBe(401);
    await first.stop();

    const second = await start({ flows: first.flows, data: first.data, env: shifted(HOUR_MS) });
    expect(second.output()).not.toContain(lasting.key);
    expect(await status(`${second.url}/api/v1/flows`, lasting.key)).toBe(200);
    expect(await status(`${second.url}/api/v1/flows`, revoked.key)).toBe(401);
    const late = await ask(`${second.url}/api/v1/flows`, bearer(ending.key));
    expect(late).toMatchObject({ status: 401, body: { err_msg: expect.stringContaining(soon) } });
    const keys = await (await signIn(second)).data<KeyInfo[]>('GET', '/keys');
    expect(keys.map(({ name, lastUsedAt }) => [name, lastUsedAt !== undefined])).toEqual([
      ['first', false],
      ['lasting', true],
      ['ending', true],
    ]);
  });

  test('a kill loses no key that was shown', async () => {
    const first = await start();
    const { key } = await make(await signIn(first), 'kept', ['flows:read']);
    await first.stop('SIGKILL');
    const second = await start({ flows: first.flows, data: first.data });
    expect(await status(`${second.url}/api/v1/flows`, key)).toBe(200);
  });

  test('`weft keys` works with the server and without it', async () => {
    const server = await start({ env: { WEFT_EDITOR: 'off' } });
    const weft = async (...args: string[]) => {
      const env = { WEFT_DATA: server.data, WEFT_EDITOR: 'off' };
      const program = await runProgram(process.execPath, [join(product, 'server/weft.js'), 'keys', ...args], {
        env,
      });
      expect(program.code, program.stderr).toBe(0);
      return program.stdout;
    };
    const key = (await weft('create', 'ops', '--scopes', 'apps:read')).trim();
    const apps = (url: string) => status(`${url}/api/v2/serve/apps`, key);
    expect(await apps(server.url)).toBe(200);
    await server.stop('SIGKILL');
    expect(await weft('list')).toContain('ops');
    const again = await start({ flows: server.flows, data: server.data, env: { WEFT_EDITOR: 'off' } });
    expect(await apps(again.url)).toBe(200);
    await weft('revoke', 'ops');
    expect(await apps(again.url)).toBe(401);
  });
});

describe('the password, where others can reach the server', () => {
  test('signs in and manages; without it nothing does', async () => {
    const env = { WEFT_HOST: '0.0.0.0', WEFT_ADMIN_PASSWORD: 'correct horse' };
    const server = await start({ env });
    expect(server.entrance).not.toContain('token');
    const url = server.url.replace('0.0.0.0', '127.0.0.1');
    const signInBy = (password: string, headers: Record<string, string> = {}) =>
      fetch(`${url}/api/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ password }),
      });
    expect((await ask(`${url}/api/v1/flows`)).body).toMatchObject({
      detail: [{ type: 'sign_in_by_password' }],
    });
    expect((await signInBy('correct hors')).status).toBe(401);
    expect((await signInBy('correct horse', { origin: 'https://evil.example' })).status).toBe(403);
    const signedIn = await signInBy('correct horse');
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    const { csrf } = ((await signedIn.json()) as { data: { csrf: string } }).data;
    const create = (headers: Record<string, string>) =>
      ask(`${url}/api/v1/keys`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ name: 'by password', scopes: ['chat'] }),
      });
    expect(await create({})).toMatchObject({ status: 403, body: { err_code: 'csrf_missing' } });
    expect((await create({ 'x-weft-csrf': csrf })).status).toBe(201);
    expect(server.output()).not.toContain('correct horse');
  });
});

describe('triggers that ask who calls', () => {
  const github = { type: 'hmac', preset: 'github', secret: { $secret: 'hook' } };
  const trigger = (id: string, auth: unknown) => httpTrigger(`/${id}`, { methods: ['POST'], auth });
  const hub = (body: string, secret = 'the shared secret') => ({
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  });

  test('cannot go live without their secret, and answer only those who know it, by its grant', async () => {
    const server = await start();
    const owner = await signIn(server);
    const flow = sayFlow('hooked', 'ok', trigger('hooked', github));
    expect(await owner.api('POST', '/flows', { flow })).toMatchObject({
      body: { data: { state: 'draft', problems: [{ code: 'unknown-secret' }] } },
    });
    const secret = { value: 'the shared secret', grants: { operators: ['http.request'] } };
    await owner.data('PUT', '/secrets/hook', secret);
    const { revision, problems } = await owner.data<FlowDetail>('GET', '/flows/hooked');
    expect(problems).toMatchObject([{ code: 'secret-not-granted', severity: 'warning' }]);
    await owner.data('POST', '/flows/hooked/publish', { revision });
    expect(await call(server, '/hooked', hub('{}'))).toMatchObject({
      status: 503,
      body: { err_code: 'auth_not_ready' },
    });
    expect(server.output()).toContain('The secret hook is not granted');

    await owner.data('PUT', '/secrets/hook', { grants: { operators: ['trigger.http'] } });
    expect(await call(server, '/hooked', hub('{}'))).toMatchObject({ status: 200, text: '"ok"' });
    expect((await call(server, '/hooked', hub('{}', 'another'))).status).toBe(401);
    await owner.data('PUT', '/secrets/hook', { value: 'another' });
    expect((await call(server, '/hooked', hub('{}'))).status).toBe(401);
    expect((await call(server, '/hooked', hub('{}', 'another'))).status).toBe(200);
    expect(server.output()).not.toContain('the shared secret');
  });

  test('go live from a file as soon as their secret is there', async () => {
    const server = await start();
    const owner = await signIn(server);
    write(server.flows, 'filed.json', sayFlow('filed', 'ok', trigger('filed', github)));
    await eventually(async () => {
      expect(await owner.data('GET', '/flows/filed')).toMatchObject({ state: 'broken' });
    });
    await owner.data('PUT', '/secrets/hook', { value: 'the shared secret', grants: { flows: ['filed'] } });
    expect((await call(server, '/filed', hub('{}'))).status).toBe(200);
    expect(await owner.data('GET', '/flows/filed')).toMatchObject({ state: 'live', problems: [] });
  });

  test('ask the same of strangers at the draft’s address while somebody listens, and not of its editor', async () => {
    const server = await start();
    const owner = await signIn(server);
    await owner.data('PUT', '/secrets/hook', { value: 'the shared secret', grants: { flows: ['drafted'] } });
    await owner.data('POST', '/flows', { flow: sayFlow('drafted', 'ok', trigger('drafted', github)) });
    const url = `${server.url}/api/v1/flows/drafted/test/drafted`;
    expect((await ask(url, hub('{}'))).status).toBe(401);
    const { headers, ...others } = hub('{}', 'wrong');
    expect((await ask(url, { ...others, headers: { ...headers, ...owner.headers } })).status).toBe(200);

    const listening = owner.data<{ run: string }>('POST', '/flows/drafted/listen', { timeoutMs: 10_000 });
    await eventually(async () =>
      expect((await ask(url, hub('{}', 'wrong'))).body).toMatchObject({ err_code: 'signature_invalid' }),
    );
    expect((await ask(url, hub('{}'))).status).toBe(200);
    const { run } = await listening;
    const events = await owner.api('GET', `/runs/${run}/events`);
    expect(events.status).toBe(200);
    expect(events.text).not.toContain('sha256=');
  });

  test('with a user and a password answer what browsers and curl send', async () => {
    const server = await start();
    const owner = await signIn(server);
    await owner.data('PUT', '/secrets/door', { value: 'open sesame', grants: { flows: ['door'] } });
    const auth = { type: 'basic', user: 'ali', secret: { $secret: 'door' } };
    const flow = sayFlow('door', 'in', httpTrigger('/door', { auth }));
    expect(await owner.data('POST', '/flows', { flow })).toMatchObject({ state: 'live', problems: [] });
    const knock = (text: string) =>
      call(server, '/door', {
        headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
      });
    expect((await knock('ali:open sesame')).text).toBe('"in"');
    const refused = await knock('ali:open');
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Basic');
    expect((await ask(`${server.url}${triggerPrefix}/door`, { method: 'HEAD' })).status).toBe(401);
    expect((await ask(`${server.url}${triggerPrefix}/door`, bearer(server.key))).status).toBe(401);
  });
});
