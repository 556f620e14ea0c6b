import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { NodeInfo } from '#shared/node.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { startBalancer } from '../support/balancer.ts';
import { call } from '../support/client.ts';
import { type Node, publish, save, SECRETS_KEY, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, sayFlow } from '../support/flows.ts';
import { nextBuild } from '../support/next-build.ts';
import { runProgram } from '../support/process.ts';
import { product, startServer } from '../support/server.ts';

/** A new version with a change of the tables, put out while everybody goes on: two builds on one real database. */

/** Items of a streamed answer, one each `ITEM_MS`. */
const ITEMS = ['one', 'two', 'three', 'four', 'five'];
const ITEM_MS = 150;

/** Somebody else's server: `/stream` is slow and in pieces, `/step` is noted with its idempotency key. */
async function startOutside() {
  const steps: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      await text(request);
      if (request.url !== '/stream') {
        steps.push(String(request.headers['idempotency-key']));
        await sleep(50);
        return void response.end('{}');
      }
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (const item of ITEMS) {
        response.write(item);
        await sleep(ITEM_MS);
      }
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, steps };
}

function streamFlow(outside: string): FlowJson {
  return {
    format: 1,
    id: 'stream',
    nodes: {
      trigger: httpTrigger('/stream', { response: { as: 'sse' } }),
      get: { operator: 'http.request', params: { url: `${outside}/stream`, response: 'stream' } },
      answer: { operator: 'core.respond' },
    },
    edges: [
      { from: 'trigger.out', to: 'get.in' },
      { from: 'get.stream', to: 'answer.in' },
    ],
  };
}

function durableFlow(outside: string): FlowJson {
  const step = { operator: 'http.request', params: { method: 'POST', url: `${outside}/step` } };
  return {
    format: 1,
    id: 'durable',
    nodes: {
      trigger: httpTrigger('/durable', { methods: ['POST'], answer: 'immediately' }),
      first: step,
      second: step,
    },
    edges: [
      { from: 'trigger.out', to: 'first.in' },
      { from: 'first.body', to: 'second.in' },
    ],
  };
}

/** Clients that call without a pause over connections that stay open. Gives what they saw, and the accepted durable runs. */
function startLoad(balancer: { readonly url: string }) {
  const seen = new Map<string, number>();
  const runs: string[] = [];
  let stopped = false;
  const client = async (name: string, look: () => Promise<string>): Promise<void> => {
    while (!stopped) {
      const said = `${name} ${await look().catch((error: Error) => `${error.message} ${String(error.cause)}`)}`;
      seen.set(said, (seen.get(said) ?? 0) + 1);
    }
  };
  const hello = async () => String((await call(balancer, '/hello')).status);
  const stream = async () => {
    const { status, text: told } = await call(balancer, '/stream');
    return `${status} ${ITEMS.every((item) => told.includes(item)) ? 'whole' : told}`;
  };
  const durable = async () => {
    await sleep(20);
    const { status, body } = await call(balancer, '/durable', { method: 'POST' });
    if (status === 202) runs.push((body as AcceptedRun).run);
    return String(status);
  };
  const clients = [
    client('hello', hello),
    client('hello', hello),
    client('stream', stream),
    client('stream', stream),
    client('durable', durable),
  ];
  return {
    seen,
    runs,
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

const weft = (program: string, url: string, ...args: string[]) =>
  runProgram(process.execPath, [join(program, 'server/weft.js'), ...args], {
    env: { WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: SECRETS_KEY },
  });

async function clientOf(url: string) {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end({ timeout: 1 }));
  return sql;
}

/** One more column, with a default, in every table: each statement that was prepared on one of them is prepared again. */
async function widening(url: string): Promise<string[]> {
  const sql = await clientOf(url);
  const tables =
    await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'migration'`;
  return tables.map(
    ({ tablename }) => `ALTER TABLE ${tablename} ADD COLUMN later_column TEXT NOT NULL DEFAULT 'later'`,
  );
}

describe('a new version that changes the tables', () => {
  test('is put out server by server, while requests, streams and durable runs of all go on', async () => {
    const url = await newDatabase();
    const balancer = await startBalancer();
    const outside = await startOutside();
    const env = {
      WEFT_DRAIN_MS: '3000',
      WEFT_ALLOWED_HOSTS: new URL(balancer.url).host,
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
    };
    const old: Node[] = [await startNode(url, env), await startNode(url, env)];
    const next = await nextBuild(await widening(url));
    for (const server of old) balancer.add(server);
    const [a] = old as [Node];
    const { revision } = await publish(a, sayFlow('hello', 'one'));
    await publish(a, streamFlow(outside.url));
    await publish(a, durableFlow(outside.url));
    await eventually(() => expect(old.every(balancer.isReady)).toBe(true));
    const load = startLoad(balancer);
    await eventually(() => expect(load.runs.length, [...load.seen].join()).toBeGreaterThan(5));

    // The tables first, while only servers of the version before are there.
    const { stdout } = await weft(next.folder, url, 'migrate');
    expect(stdout).toBe(`Done:\n  ${next.format} a later change\n`);
    const accepted = load.runs.length;
    await eventually(() => expect(load.runs.length).toBeGreaterThan(accepted + 5));

    const { key } = await a.owner.data<{ key: string }>('POST', '/keys', { name: 'ops', scopes: ['admin'] });
    let changed = revision;
    const fresh: Node[] = [];
    for (const [at, server] of old.entries()) {
      const one = await startNode(url, env, next.folder);
      fresh.push(one);
      balancer.add(one);
      await eventually(() => expect(balancer.isReady(one)).toBe(true));
      const listed = await weft(next.folder, url, 'nodes', '--url', one.url, '--key', key);
      expect(listed.stdout).toContain(
        `Servers of 2 versions are up: ${await versionOf(server)}, ${next.version}.`,
      );
      // What one version publishes, the other serves, both ways.
      for (const [by, other] of [
        [server, one],
        [one, server],
      ] as const) {
        const says = `${by === one ? 'new' : 'old'} ${at}`;
        ({ revision: changed } = await publish(by, sayFlow('hello', says), changed));
        expect((await call(other, '/hello')).body).toBe(says);
      }
      expect(await server.stop()).toBe(0);
    }
    await load.stop();
    expect([...load.seen.keys()].sort()).toEqual(['durable 202', 'hello 200', 'stream 200 whole']);
    const [last] = fresh as [Node];
    for (const run of new Set(load.runs))
      await eventually(async () =>
        expect(await last.owner.data<RunSummary>('GET', `/runs/${run}`)).toMatchObject({
          status: 'ok',
        }),
      );
    expect(new Set(outside.steps).size).toBe(2 * load.runs.length);
    const all = await last.owner.data<NodeInfo[]>('GET', '/nodes');
    expect(all.map(({ version }) => version)).toEqual([next.version, next.version]);

    // A server of the version before that comes back is refused in one line.
    const back = await startServer({
      env: { ...env, WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: SECRETS_KEY },
    }).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(back).toContain(
      `database_newer: The database was migrated by a newer Weft (format ${next.format}; this version knows formats up to ${next.format - 1}).`,
    );
    expect(back.split('\n').filter((line) => line.includes('database_newer'))).toHaveLength(1);
    expect(back).not.toContain('    at ');
    expect((await weft(product, url, 'migrate')).stderr).toMatch(/^.*database_newer: .*\n$/);
  });
});

describe('a flow of format 2', () => {
  const each = {
    format: 2,
    id: 'each',
    nodes: {
      trigger: httpTrigger('/each', { methods: ['POST'] }),
      one: { operator: 'core.map', params: { value: '{{ input + 1 }}' }, each: { items: '{{ [1, 2] }}' } },
    },
    edges: [{ from: 'trigger.out', to: 'one.in' }],
  } as unknown as FlowJson;

  test('goes live only when every server on the database reads that format', async () => {
    const url = await newDatabase();
    const server = await startNode(url);
    const sql = await clientOf(url);
    // A server of 0.2.0 tells nothing of formats.
    const later = Date.now() + 3_600_000;
    await sql`INSERT INTO node (project, id, name, version, started_at, seen_at, applied, state, about)
      SELECT project, 'old', 'old-host/1', '0.2.0', started_at, ${later}, applied, 'up', ${'{"role":"all"}'} FROM node LIMIT 1`;
    await publish(server, sayFlow('hello', 'one'));
    const refused = await save(server, each);
    expect(refused).toMatchObject({
      status: 409,
      body: { err_code: 'servers_too_old', detail: ['old-host/1'] },
    });
    expect(JSON.stringify(refused.body)).toContain('format 2, which these servers do not read: old-host/1');
    await sql`DELETE FROM node WHERE id = 'old'`;
    await publish(server, each);
    expect((await call(server, '/each', { method: 'POST' })).body).toEqual([2, 3]);
  });
});

async function versionOf(server: Node): Promise<string | undefined> {
  const list = await server.owner.data<NodeInfo[]>('GET', '/nodes');
  return list.find(({ self }) => self)?.version;
}
