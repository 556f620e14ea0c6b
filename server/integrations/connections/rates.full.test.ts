import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Asker, WeftError } from '#engine';
import { routeCaller } from '../../testing/route-caller.ts';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';
import { startSmtp } from './kinds/smtp/testing/smtp-server.ts';
import { startSsh } from './kinds/ssh/testing/ssh-server.ts';
import { startRedis } from './kinds/redis/testing/redis-server.ts';
import { ACCESS_KEY, BUCKET, REGION, SECRET_KEY, startS3 } from './testing/s3-server.ts';
import { asker, connectionBed, limits, never, setFolders } from './testing/connection-bed.ts';

/** The rate limit of a connection, for each way to use the connection. */

const ONE_A_DAY = { limit: 1, per: 'day' } as const;
const grants = { flows: ['f', 'g'] };

type Bed = ReturnType<typeof connectionBed>;

/** The address of a service that counts its requests. */
async function startService() {
  const came: string[] = [];
  const server = createServer((request, response) => {
    came.push(request.url ?? '');
    response.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, came };
}

async function sqliteSettings() {
  setFolders({ shop: await tempFolder() });
  return { folder: 'shop', file: 'shop.db' };
}

const statement = { connection: 'it', sql: 'SELECT 1 AS one', params: {} };

async function s3Settings() {
  const s3 = await startS3();
  onTestFinished(() => s3.close());
  return {
    endpoint: s3.endpoint,
    region: REGION,
    bucket: BUCKET,
    accessKey: ACCESS_KEY,
    secretKey: SECRET_KEY,
    timeoutMs: 5000,
  };
}

const httpRequest = { method: 'GET', url: '/', connection: 'it', headers: {}, body: undefined, redirects: 0 };

async function redisSettings() {
  return { host: '127.0.0.1', port: (await startRedis()).port, tls: 'off' };
}

const sshSettings = async () => (await startSsh({ folder: await tempFolder() })).settings;

const redisAsk = { connection: 'it', kind: 'redis', timeoutMs: 5000 };

const ways: readonly [string, () => Promise<object>, (bed: Bed, by: Asker) => Promise<unknown>][] = [
  [
    'sqlite',
    sqliteSettings,
    ({ connections }, by) => connections.sql.query({ ...statement, ...limits }, by, never),
  ],
  [
    'sqlite',
    sqliteSettings,
    ({ connections }, by) =>
      connections.sql.execute({ connection: 'it', statements: [statement], ...limits }, by, never),
  ],
  [
    'sqlite',
    sqliteSettings,
    async ({ connections }, by) => {
      for await (const _ of connections.sql.stream({ ...statement, timeoutMs: 20_000 }, by, never));
    },
  ],
  [
    'http',
    async () => ({ address: (await startService()).address, auth: 'none' }),
    ({ connections }, by) => connections.send({ ...httpRequest, timeoutMs: 5000, maxBytes: 1000 }, by, never),
  ],
  [
    's3',
    s3Settings,
    async ({ connections }, by) =>
      (await connections.store('it', by))?.list('', { recursive: false, limit: 10 }, never),
  ],
  [
    'redis',
    redisSettings,
    ({ connections }, by) =>
      connections.actions.ask({ ...redisAsk, action: 'get', given: { key: 'a', maxBytes: 10 } }, by, never),
  ],
  [
    'redis',
    redisSettings,
    ({ connections }, by) =>
      connections.actions.ask(
        { ...redisAsk, action: 'set', given: { key: 'a', value: 'b', when: 'always' } },
        by,
        never,
      ),
  ],
  [
    'smtp',
    async () => ({ host: '127.0.0.1', port: (await startSmtp()).port, tls: 'off', from: 'a@example.com' }),
    ({ connections }, by) =>
      connections.actions.ask(
        {
          connection: 'it',
          kind: 'smtp',
          action: 'send',
          given: { to: ['b@example.com'], text: 'Hello', key: 'a' },
          timeoutMs: 5000,
        },
        by,
        never,
      ),
  ],
  [
    'ssh',
    sshSettings,
    ({ connections }, by) =>
      connections.actions.ask(
        {
          connection: 'it',
          kind: 'ssh',
          action: 'run',
          given: { command: 'true', maxBytes: 10 },
          timeoutMs: 5000,
        },
        by,
        never,
      ),
  ],
  [
    'ssh',
    sshSettings,
    async ({ connections }, by) =>
      (await connections.store('it', by))?.list('', { recursive: false, limit: 10 }, never),
  ],
];

test.each(ways)('two flows share the limit of a connection: %s', async (kind, settings, use) => {
  const body = { kind: kind as 'http', settings: (await settings()) as Record<string, unknown>, grants };
  const bed = connectionBed();
  await bed.connections.put('it', { ...body, rate: ONE_A_DAY });
  await use(bed, asker);
  const refused = await use(bed, { ...asker, flow: 'g' }).catch((error: unknown) => error as WeftError);
  expect(refused).toMatchObject({
    code: 'connection_limited',
    transient: true,
    message: expect.stringMatching(/^The connection it allows at most 1 use a day, .* comes in 86[34]\d\d s/),
    data: { connection: 'it', retryAfter: expect.any(Number) },
  });
  expect(await bed.connections.test('it')).toMatchObject({ ok: true });
  await bed.connections.put('it', { ...body, rate: null });
  await use(bed, { ...asker, flow: 'g' });
});

test('a use without a grant does not count', async () => {
  const settings = await sqliteSettings();
  const bed = connectionBed();
  await bed.connections.put('it', { kind: 'sqlite', settings, grants, rate: ONE_A_DAY });
  const query = (flow: string) =>
    bed.connections.sql.query({ ...statement, ...limits }, { ...asker, flow }, never);
  await expect(query('h')).rejects.toMatchObject({ code: 'connection_not_granted' });
  expect(await query('f')).toEqual([{ one: 1 }]);
});

test('a limit is stored sealed, and stays when it is left out', async () => {
  const first = connectionBed();
  const body = { kind: 'sqlite' as const, settings: await sqliteSettings() };
  await first.connections.put('it', { ...body, grants, rate: { limit: 5, per: 'hour', burst: 2 } });
  await first.connections.put('it', body);
  const again = connectionBed({ data: first.data() });
  expect(again.connections.list()).toMatchObject([{ rate: { limit: 5, per: 'hour', burst: 2 } }]);
  const kept = first.data().connections['it'] as object;
  const forged = { ...first.data(), connections: { it: { ...kept, rate: { limit: 9999, per: 'second' } } } };
  expect(connectionBed({ data: forged }).connections.list()).toMatchObject([{ broken: expect.any(String) }]);
});

test.each([null, { limit: 1000, per: 'second' } as const])(
  'a limit that another server changes to %j applies at once to waiting calls',
  async (rate) => {
    const settings = await sqliteSettings();
    const [first, second] = [connectionBed(), connectionBed()];
    await second.connections.put('it', {
      kind: 'sqlite',
      settings,
      grants,
      rate: { limit: 1, per: 'minute', burst: 1 },
    });
    first.fromOthers(second.data());
    const query = () =>
      first.connections.sql.query({ ...statement, ...limits, timeoutMs: 120_000 }, asker, never);
    await query();
    const waiting = query();
    // The time of a change identifies it.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await second.connections.limit('it', rate);
    first.fromOthers(second.data());
    expect(await waiting).toEqual([{ one: 1 }]);
  },
);

/** Asks the service `crm`, with a time limit and so many attempts. */
const flow = (id: string, timeoutMs: number, attempts = 1) => ({
  format: 1,
  id,
  nodes: {
    start: { operator: 'trigger.http', params: { path: `/${id}`, methods: ['GET'], auth: 'none' } },
    ask: {
      operator: 'http.request',
      params: { connection: 'crm', url: `/${id}`, timeoutMs },
      retry: { attempts },
    },
  },
  edges: [{ from: 'start.out', to: 'ask.in' }],
});

async function flowsOverCrm() {
  const service = await startService();
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const limit = (rate: object | null) =>
    call('PUT /api/v1/connections/:name', {
      params: { name: 'crm' },
      body: {
        kind: 'http',
        settings: { address: service.address, auth: 'none' },
        grants: { operators: ['http.request'] },
        rate,
      },
    });
  const add = (made: object) => call('POST /api/v1/flows', { body: { flow: made } });
  const get = (id: string) => fetch(`${bed.url}/api/v1/awel/trigger/${id}`);
  return { ...service, limit, add, get };
}

test('flows that share a limit wait for their turn, are refused, or succeed after a retry', async () => {
  const { came, limit, add, get } = await flowsOverCrm();
  await limit({ limit: 20, per: 'minute', burst: 1 });
  await add(flow('patient', 20_000));
  await add(flow('hasty', 300));
  await add(flow('stubborn', 2000, 5));
  const first = await Promise.all([get('patient'), get('patient')]);
  expect(first.map(({ status }) => status)).toEqual([200, 200]);
  const refused = await get('hasty');
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain('connection_limited');
  expect((await get('stubborn')).status).toBe(200);
  expect([...new Set(came)]).toEqual(['/patient', '/stubborn']);
});

test('a raised limit applies at once to waiting runs', async () => {
  const { came, limit, add, get } = await flowsOverCrm();
  await limit({ limit: 1, per: 'minute' });
  await add(flow('patient', 120_000));
  expect((await get('patient')).status).toBe(200);
  const waiting = get('patient');
  await limit({ limit: 1000, per: 'second' });
  expect((await waiting).status).toBe(200);
  expect(came).toHaveLength(2);
});
