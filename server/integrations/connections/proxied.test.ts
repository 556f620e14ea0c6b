import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../tests/support/server.ts';
import { type StandInProxy, startStandInProxy } from '../../base/outbound/testing/stand-in-proxy.ts';
import { startSite } from '../../base/outbound/testing/victim.ts';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { openWeftSql } from '../../storage/database/weft-tables.ts';
import { asker, connectionBed, limits, type Made, never, settingsOf } from './testing/connection-bed.ts';
import { ACCESS_KEY, BUCKET, REGION, SECRET_KEY, startS3 } from './testing/s3-server.ts';
import { startRedis } from './kinds/redis/testing/redis-server.ts';
import { startSsh } from './kinds/ssh/testing/ssh-server.ts';
import { startSmtp } from './kinds/smtp/testing/smtp-server.ts';

/** A public address, which leads nowhere outside of these tests. */
const PUBLIC = '93.184.215.14';
const CANARY = 'the-password-of-the-proxy';

async function made(
  kind: Made['kind'],
  settings: Made['settings'],
  proxy: StandInProxy,
  given: Parameters<typeof connectionBed>[0] = {},
) {
  proxy.wants = `ada:${CANARY}`;
  const bed = connectionBed({ resolve: async () => [PUBLIC], ...given });
  const all = { ...settings, proxy: proxy.address, proxyCredentials: proxy.wants };
  await bed.connections.put('one', { kind, settings: all, grants: { flows: ['f'] } });
  return bed;
}

describe.each([['http'], ['socks5']] as const)('a connection with a proxy of its own by %s', (protocol) => {
  test('sends requests through it', async () => {
    const site = await startSite((request, response) =>
      response.end(`${request.headers.host}${request.url}`),
    );
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:80`, site.port);
    const bed = await made('http', { address: 'http://api.example.com/v1', auth: 'none' }, proxy);
    expect(await bed.connections.test('one')).toMatchObject({ ok: true });
    expect(proxy.asked).toEqual([`${PUBLIC}:80`]);
    proxy.wants = 'ada:another';
    const again = connectionBed({ data: bed.data(), resolve: async () => [PUBLIC] });
    const failed = await again.connections.test('one');
    expect(failed).toMatchObject({ ok: false, error: { code: 'proxy_auth' } });
    const shown = JSON.stringify([failed, bed.data(), bed.connections.list()]);
    expect(shown).toContain(proxy.address);
    expect(shown).not.toContain(CANARY);
    expect(bed.connections.list()).toMatchObject([{ hidden: ['proxyCredentials'] }]);
  });

  test('reaches files in S3, with their signatures', async () => {
    const s3 = await startS3();
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:80`, s3.port);
    const bed = await made(
      's3',
      {
        endpoint: 'http://files.example.com',
        region: REGION,
        bucket: BUCKET,
        accessKey: ACCESS_KEY,
        secretKey: SECRET_KEY,
      },
      proxy,
    );
    expect(await bed.connections.test('one')).toMatchObject({ ok: true });
    await s3.close();
  });

  test('opens sessions of Redis through it', async () => {
    const { port } = await startRedis();
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:6379`, port);
    const bed = await made('redis', { host: 'cache.example.com', tls: 'off' }, proxy);
    expect(await bed.connections.test('one')).toMatchObject({ ok: true });
    expect(proxy.asked).toEqual([`${PUBLIC}:6379`]);
  });

  test('gets tokens and sends them through it', async () => {
    const inner = '10.9.8.7';
    const asked: (string | undefined)[] = [];
    const site = await startSite(({ url, headers }, response) => {
      asked.push(url);
      response.setHeader('content-type', 'application/json');
      if (url === '/token')
        response.end('{"access_token":"the-token","token_type":"Bearer","expires_in":3600}');
      else response.end(JSON.stringify(headers.authorization));
    });
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${inner}:80`, site.port);
    const sql = openWeftSql(tempFolder('proxied'));
    onTestFinished(() => sql.close());
    const signIn = { grant: 'client', clientId: 'weft', secret: 's', tokenUrl: `http://${inner}/token` };
    const bed = await made('oauth2', { ...signIn, address: `http://${inner}/api` }, proxy, { sql });
    const request = {
      method: 'GET',
      url: '/items',
      connection: 'one',
      headers: {},
      body: undefined,
      redirects: 0,
      timeoutMs: 20_000,
      maxBytes: 10_000,
    };
    const answer = await bed.connections.send(request, asker, never);
    let text = '';
    for await (const piece of answer.body) text += Buffer.from(piece).toString();
    expect([asked, text]).toEqual([['/token', '/api/items'], '"Bearer the-token"']);
    expect(new Set(proxy.asked)).toEqual(new Set([`${inner}:80`]));
  });

  test('asks a database through it, and cancels a statement there', async () => {
    const settings = settingsOf(await newDatabase());
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:5432`, Number(settings['port']));
    const far = { ...settings, host: 'db.example.com', port: 5432 };
    const bed = await made('postgres', far, proxy);
    const ask = (sql: string, timeoutMs: number): Promise<unknown> =>
      bed.connections.sql.query({ connection: 'one', ...limits, timeoutMs, sql, params: {} }, asker, never);
    expect(await ask('SELECT 1 AS n', 20_000)).toEqual([{ n: 1 }]);
    expect(proxy.asked).toEqual([`${PUBLIC}:5432`]);
    await expect(ask('SELECT pg_sleep(60)', 500)).rejects.toMatchObject({ code: 'sql_timeout' });
    // The second way was for the request to cancel, which has arrived once the statement has ended.
    await expect.poll(() => proxy.asked.length).toBe(2);
    const going =
      "SELECT CAST(count(*) AS int) AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()";
    await expect.poll(() => ask(going, 20_000), { timeout: 20_000 }).toEqual([{ n: 0 }]);
  });

  test('sends mails through it, whose server speaks first', async () => {
    const { port, received } = await startSmtp();
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:587`, port);
    const settings = { host: 'mail.example.com', tls: 'off', from: 'shop@example.com' };
    const bed = await made('smtp', settings, proxy);
    const given = { to: ['ada@example.com'], text: 'Hello', key: 'run:node' };
    const asked = { connection: 'one', kind: 'smtp', action: 'send', given, timeoutMs: 20_000 } as const;
    expect(await bed.connections.actions.ask(asked, asker, never)).toMatchObject({
      accepted: ['ada@example.com'],
    });
    expect(received).toHaveLength(1);
  });

  test('executes commands over SSH through it', async () => {
    const { port, settings } = await startSsh();
    const proxy = await startStandInProxy({ protocol });
    proxy.leads.set(`${PUBLIC}:22`, port);
    const bed = await made('ssh', { ...settings, host: 'box.example.com', port: 22 }, proxy);
    const given = { command: 'echo Hello', maxBytes: 1000 };
    const asked = { connection: 'one', kind: 'ssh', action: 'run', given, timeoutMs: 20_000 } as const;
    expect(await bed.connections.actions.ask(asked, asker, never)).toMatchObject({ stdout: 'Hello\n' });
    expect(proxy.asked).toEqual([`${PUBLIC}:22`]);
  });

  test.each([
    ['refuse', 'proxy_refused'],
    ['close', 'proxy_failed'],
    ['unreachable', 'connection_failed'],
  ] as const)('says what is wrong with a proxy that is to %s', async (does, code) => {
    const proxy = await startStandInProxy({ protocol });
    proxy.does = does;
    const bed = await made('redis', { host: 'cache.example.com', tls: 'off' }, proxy);
    const result = await bed.connections.test('one');
    expect(result).toMatchObject({ ok: false, error: { code } });
    expect(JSON.stringify(result)).not.toContain(CANARY);
  });
});

test('a connection may go past the proxy of the server', async () => {
  const site = await startSite((_request, response) => response.end('direct'), '127.0.0.1');
  const proxy = await startStandInProxy();
  const bed = connectionBed({
    resolve: async () => ['127.0.0.1'],
    proxy: { address: proxy.address, credentials: undefined, except: [] },
  });
  const settings = { address: `http://near.example:${site.port}`, auth: 'none', proxy: 'none' };
  await bed.connections.put('one', { kind: 'http', settings });
  expect(await bed.connections.test('one')).toMatchObject({ ok: true });
  expect(proxy.asked).toEqual([]);
});

test.each([
  { proxy: 'proxy.example:3128' },
  { proxy: 'ftp://proxy.example' },
  { proxy: 'http://ada:secret@proxy.example:3128' },
  { proxy: 'http://proxy.example:3128/path' },
  { proxyCredentials: 'only-a-user' },
])('the settings %j are refused', async (more) => {
  const settings = { address: 'https://api.example.com', ...more };
  await expect(connectionBed().connections.put('one', { kind: 'http', settings })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});
