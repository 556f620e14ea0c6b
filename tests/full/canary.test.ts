import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, afterAll, expect, test } from 'vitest';
import { connectionKinds } from '#shared/connection-kinds.ts';
import { type Owner, call, signIn } from '../support/client.ts';
import { httpTrigger, type NodeJson } from '../support/flows.ts';
import { type Gossip, startGossip } from '../support/gossip.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

/**
 * A secret that is stored with a connection, a provider or by itself comes out nowhere, whatever the other side says: not in answers
 * and records of runs, lists, the audit, the log, or a file of the data folder.
 */
const CANARY = 'c4nary/+of"the’mine %41';
/** For what has to be one line of plain characters. */
const PLAIN = 'c4nary/+of"the-mine %41';

/** For a key in a header that takes no spaces. */
const KEY = 'c4nary/+of-the-mine%41';

type Place = Pick<Awaited<ReturnType<typeof startGossip>>, 'port' | 'fingerprint'>;

interface Case {
  readonly protocol: Gossip;
  /** Prepares the node that reaches the port. */
  node(owner: Owner, name: string, at: Place): Promise<NodeJson>;
  /** The other side gets to know it. */
  readonly isTold: boolean;
}

const timeoutMs = 5_000;

function connection(
  kind: string,
  { protocol, isTold }: Pick<Case, 'protocol' | 'isTold'>,
  settingsOf: (at: Place) => object,
  nodeOf: (name: string) => NodeJson,
): Case {
  return {
    protocol,
    isTold,
    async node(owner, name, at) {
      const node = nodeOf(name);
      await owner.data('PUT', `/connections/${name}`, {
        kind,
        settings: settingsOf(at),
        grants: { operators: [node.operator], drafts: true },
      });
      return node;
    },
  };
}

const host = '127.0.0.1';
const address = (port: number): string => `http://${host}:${port}`;
const request = (name: string): NodeJson => ({
  operator: 'http.request',
  params: { connection: name, url: '/me', timeoutMs },
});
const sql = (name: string): NodeJson => ({
  operator: 'sql.query',
  params: { connection: name, sql: 'SELECT 1 AS one', timeoutMs },
});

async function keep(owner: Owner, name: string, port: number, value = PLAIN): Promise<void> {
  await owner.data('PUT', `/secrets/${name}`, {
    value,
    grants: { hosts: [address(port)] },
  });
}

/** By the kind of connection, with its ways to sign in after a dot. */
const CASES: Readonly<Record<string, Case>> = {
  postgres: connection(
    'postgres',
    { protocol: 'postgres', isTold: true },
    ({ port }) => ({ host, port, database: 'shop', user: 'weft', password: CANARY, tls: 'off' }),
    sql,
  ),
  mysql: connection(
    'mysql',
    { protocol: 'mysql', isTold: false },
    ({ port }) => ({ host, port, database: 'shop', user: 'weft', password: CANARY, tls: 'off' }),
    sql,
  ),
  redis: connection(
    'redis',
    { protocol: 'redis', isTold: true },
    ({ port }) => ({ host, port, password: PLAIN, tls: 'off' }),
    (name) => ({ operator: 'redis.get', params: { connection: name, key: 'one', timeoutMs } }),
  ),
  smtp: connection(
    'smtp',
    { protocol: 'smtp', isTold: true },
    ({ port }) => ({ host, port, user: 'ada', password: CANARY, tls: 'off', from: 'shop@example.com' }),
    (name) => ({
      operator: 'mail.send',
      params: { connection: name, to: 'ada@example.com', text: 'Hello', timeoutMs },
    }),
  ),
  imap: connection(
    'imap',
    { protocol: 'imap', isTold: true },
    ({ port }) => ({ host, port, user: 'ada', password: CANARY, tls: 'off' }),
    (name) => ({ operator: 'mail.search', params: { connection: name, timeoutMs } }),
  ),
  ssh: connection(
    'ssh',
    { protocol: 'ssh', isTold: true },
    ({ port, fingerprint }) => ({ host, port, user: 'ada', password: CANARY, fingerprint }),
    (name) => ({ operator: 'ssh.run', params: { connection: name, command: 'true', timeoutMs } }),
  ),
  s3: connection(
    's3',
    { protocol: 'http', isTold: false },
    ({ port }) => ({
      endpoint: address(port),
      bucket: 'files',
      region: 'eu-test-1',
      accessKey: 'key',
      secretKey: PLAIN,
      timeoutMs,
    }),
    (name) => ({ operator: 'file.list', params: { folder: name } }),
  ),
  ...Object.fromEntries(
    (
      [
        ['bearer', {}],
        ['basic', { user: 'ada' }],
        ['header', {}],
        ['digest', { user: 'ada' }],
        ['aws', { user: 'key' }],
      ] as const
    ).map(([auth, more]) => [
      `http.${auth}`,
      connection(
        'http',
        { protocol: 'http', isTold: auth !== 'digest' && auth !== 'aws' },
        ({ port }) => ({ address: address(port), auth, secret: PLAIN, ...more }),
        request,
      ),
    ]),
  ),
  'http.address': connection(
    'http',
    { protocol: 'http', isTold: true },
    ({ port }) => ({ address: address(port), auth: 'address', secret: PLAIN }),
    (name) => ({
      operator: 'http.request',
      params: { connection: name, url: '/me?key={secret}', timeoutMs },
    }),
  ),
  ...Object.fromEntries(
    (['basic', 'post'] as const).map((clientAuth) => [
      `oauth2.${clientAuth}`,
      connection(
        'oauth2',
        { protocol: 'http', isTold: true },
        ({ port }) => ({
          grant: 'client',
          clientId: 'weft',
          secret: CANARY,
          tokenUrl: `${address(port)}/token`,
          clientAuth,
          address: address(port),
          timeoutMs,
        }),
        request,
      ),
    ]),
  ),
  provider: {
    protocol: 'http',
    isTold: true,
    async node(owner, name, { port }) {
      await keep(owner, name, port, KEY);
      await owner.data('PUT', `/providers/${name}`, {
        type: 'openai-compatible',
        baseUrl: `${address(port)}/v1`,
        allow: `${host}:${port}`,
        key: { $secret: name },
        models: [{ name: 'm' }],
        timeoutMs,
      });
      return { operator: 'model.chat', params: { model: `${name}/m`, prompt: 'Hello' } };
    },
  },
  secret: {
    protocol: 'http',
    isTold: true,
    async node(owner, name, { port }) {
      await keep(owner, name, port);
      const auth = { type: 'bearer', secret: { $secret: name } };
      return { operator: 'http.request', params: { url: address(port), auth, timeoutMs } };
    },
  },
};

/** The ways in which programs write a text. */
function writingsOf(text: string): string[] {
  const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    JSON.stringify(JSON.stringify(text)).slice(3, -3),
    encodeURIComponent(text),
    new URLSearchParams({ text }).toString().slice('text='.length),
    Buffer.from(text).toString('latin1'),
    Buffer.from(text).toString('hex'),
    base64(text),
    base64(`ada:${text}`),
    base64(`\0ada\0${text}`),
    base64(`weft:${encodeURIComponent(text)}`),
    base64(`weft:${new URLSearchParams({ text }).toString().slice('text='.length)}`),
  ];
}

const WRITINGS = [...new Set([CANARY, PLAIN, KEY].flatMap(writingsOf))];

function expectSilence(where: string, text: string): void {
  for (const writing of WRITINGS)
    expect(text.includes(writing), `${where} has ${writing}: ${around(text, writing)}`).toBe(false);
}

function around(text: string, writing: string): string {
  const at = text.indexOf(writing);
  return at < 0 ? '' : text.slice(Math.max(0, at - 200), at + writing.length + 50);
}

let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  server = await startServer({
    env: { WEFT_OUTBOUND_ALLOW: host, WEFT_LOG_LEVEL: 'trace' },
  });
  owner = await signIn(server);
});
afterAll(() => discard(server));

test('every kind of connection has a case', () => {
  const kinds = new Set(Object.keys(CASES).map((name) => name.split('.')[0]));
  // A database in a file has no secret.
  expect(Object.keys(connectionKinds).filter((kind) => !kinds.has(kind))).toEqual(['sqlite']);
});

test.each(Object.entries(CASES))('%s', async (name, { protocol, isTold, node }) => {
  const id = name.replace('.', '_');
  const gossip = await startGossip(protocol);
  const at = await node(owner, id, gossip);
  const nodes = { trigger: httpTrigger(`/${id}`), at };
  const settings = { record: 'full' };
  const flow = { format: 1, id, settings, nodes, edges: [{ from: 'trigger.out', to: 'at.in' }] };
  await owner.data('POST', '/flows', { text: JSON.stringify(flow), mode: 'publish' });
  const answer = await call(server, `/${id}`);
  const run = answer.headers.get('x-weft-run');
  if (isTold)
    expect(
      WRITINGS.some((writing) => gossip.heard().includes(writing)),
      `${answer.text} ${gossip.heard()}`,
    ).toBe(true);
  expectSilence('the answer', answer.text);
  for (const path of [
    `/runs/${run}`,
    `/runs/${run}/events`,
    `/runs/${run}/timeline`,
    '/connections',
    '/secrets',
    '/providers',
    '/audit',
  ])
    expectSilence(path, JSON.stringify((await owner.api('GET', path)).body));
  if ((name.split('.')[0] as string) in connectionKinds)
    expectSilence('its test', (await owner.api('POST', `/connections/${id}/test`)).text);
  if (at.operator === 'sql.query') {
    const asked = { flow: id, operator: 'sql.query', sql: 'SELECT 1 AS one' };
    const { status, text } = await owner.api('POST', `/connections/${id}/describe`, asked);
    expect(status).toBe(200);
    expectSilence('its description', text);
  }
  if (name === 'provider') expectSilence('its trial', (await owner.api('POST', `/providers/${id}/try`)).text);
  expectSilence('the log', server.output());
});

test('a name that equals a secret is told as it is', async () => {
  // A masked user would be stored as the mask when somebody saves the form that shows it.
  const settings = {
    host,
    port: 1,
    database: 'postgres',
    user: 'postgres',
    password: 'postgres',
    tls: 'off',
  };
  await owner.data('PUT', '/connections/postgres_too', { kind: 'postgres', settings });
  const all = await owner.data<{ name: string; settings: object }[]>('GET', '/connections');
  expect(all.find(({ name }) => name === 'postgres_too')?.settings).toMatchObject({
    user: 'postgres',
    database: 'postgres',
  });
});

test('no file has one of them', async () => {
  expect(await server.stop()).toBe(0);
  const files = readdirSync(server.data, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.length).toBeGreaterThan(2);
  for (const { parentPath, name } of files)
    expectSilence(name, readFileSync(join(parentPath, name)).toString('latin1'));
});
