import { createHmac } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { CreatedKey } from '#shared/key.ts';
import type { NodeInfo } from '#shared/node.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { ask, call } from '../support/client.ts';
import { type Node, publish, SECRETS_KEY, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, lateFlow, sayFlow } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import { product, shifted, tempFolder } from '../support/server.ts';

/** Servers on one database whose clocks are wrong, or that do not reach each other. */
const HOUR_MS = 3_600_000;
const env = { WEFT_OUTBOUND_ALLOW: '127.0.0.1' };

const nodesOf = ({ owner }: Node): Promise<NodeInfo[]> => owner.data<NodeInfo[]>('GET', '/nodes');

async function listedBy(url: string): Promise<string> {
  const own = {
    WEFT_DATA: tempFolder('data'),
    WEFT_FLOWS: tempFolder('flows'),
    WEFT_DATABASE_URL: url,
    WEFT_SECRETS_KEY: SECRETS_KEY,
  };
  const program = [join(product, 'server/weft.js'), 'nodes'];
  const { code, stdout, stderr } = await runProgram(process.execPath, program, { env: own });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const statusOf = async ({ owner }: Node, run: string): Promise<string> =>
  (await owner.data<RunSummary>('GET', `/runs/${run}`)).status;

function waitingFlow(id: string, wait: Record<string, unknown>): FlowJson {
  return {
    format: 1,
    id,
    nodes: {
      trigger: httpTrigger(`/${id}`, { methods: ['POST'], answer: 'immediately' }),
      wait: { operator: 'logic.wait-until', params: wait },
    },
    edges: [{ from: 'trigger.out', to: 'wait.in' }],
    settings: { durable: true },
  };
}

/** The address of a server of somebody else. */
async function listening(answer: RequestListener): Promise<string> {
  const outside = createServer(answer);
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    outside.closeAllConnections();
    outside.close();
  });
  return `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
}

test('clocks that are off by an hour: who is admitted, what is due and who answers is as if they were right, and the list tells', async () => {
  const url = await newDatabase();
  const [right, ahead, behind] = await Promise.all([
    startNode(url, env),
    startNode(url, { ...env, ...shifted(HOUR_MS) }),
    startNode(url, { ...env, ...shifted(-HOUR_MS) }),
  ]);
  const all = [right, ahead, behind];
  const offsets = (await nodesOf(right)).map(({ url: at, clockMs = 0 }) => [
    at,
    Math.round(clockMs / 60_000),
  ]);
  expect(offsets.toSorted()).toEqual(
    [
      [right.url, 0],
      [ahead.url, 60],
      [behind.url, -60],
    ].toSorted(),
  );
  const listed = await listedBy(url);
  expect(listed).toMatch(/its clock is 3(599|600) seconds ahead of the database's/);
  expect(listed).toMatch(/its clock is 3(599|600|601) seconds behind the database's/);
  expect(ahead.output()).toContain('the clock of this server is wrong');

  // A session of one is one of all, and so is a key, for as long as it lasts.
  for (const { owner } of all)
    for (const { url: at } of all) {
      const { cookie = '' } = owner.headers;
      expect((await ask(`${at}/api/v1/session`, { headers: { cookie } })).status).toBe(200);
    }
  await publish(right, sayFlow('guarded', 'in', { operator: 'trigger.http', params: { path: '/guarded' } }));
  const expiresAt = new Date(Date.now() + HOUR_MS / 2).toISOString();
  const made = await behind.owner.data<CreatedKey>('POST', '/keys', {
    name: 'ci',
    scopes: ['triggers'],
    expiresAt,
  });
  for (const node of all) {
    const headers = { authorization: `Bearer ${made.key}` };
    expect((await call(node, '/guarded', { headers })).status).toBe(200);
  }

  // Requests that others sign with the right time.
  await right.owner.data('PUT', '/secrets/hook', { value: 's', grants: { operators: ['trigger.http'] } });
  const auth = { type: 'hmac', secret: { $secret: 'hook' }, timestampHeader: 'x-time' };
  await publish(right, sayFlow('hook', 'taken', httpTrigger('/hook', { methods: ['POST'], auth })));
  const signed = (body: string, at: number): RequestInit => ({
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-time': String(at),
      'x-signature': createHmac('sha256', 's').update(`${at}.${body}`).digest('hex'),
    },
  });
  const now = Math.floor(Date.now() / 1000);
  for (const [at, node] of all.entries()) {
    expect((await call(node, '/hook', signed(`{"n":${at}}`, now))).status).toBe(200);
    const again = await call(right, '/hook', signed(`{"n":${at}}`, now));
    expect([again.status, again.text]).toEqual([401, expect.stringContaining('came before')]);
    const old = await call(node, '/hook', signed(`{"n":${at}}`, now - 3600));
    expect([old.status, old.text]).toEqual([401, expect.stringContaining('The time of sending is 36')]);
  }

  // Runs of each are read and stopped through each: what servers ask each other is signed with a time.
  await publish(right, lateFlow('slow', 'done', 60_000));
  const open = all.map((node) => call(node, '/slow').catch(() => undefined));
  await eventually(async () => {
    for (const node of all) {
      const { runs } = await node.owner.data<{ runs: RunSummary[] }>('GET', '/runs?flow=slow&status=running');
      expect(runs).toHaveLength(all.length);
    }
  });
  const { runs } = await behind.owner.data<{ runs: RunSummary[] }>('GET', '/runs?flow=slow&status=running');
  for (const { run } of runs) await ahead.owner.data('POST', `/runs/${run}/cancel`);
  await Promise.all(open);

  // A key that was used is known to all, and a wait for a duration takes no hour more or less.
  const keyed = { method: 'POST', headers: { 'idempotency-key': 'order 7' } };
  await publish(right, waitingFlow('soon', { for: '2s' }));
  const first = (await call(ahead, '/soon', keyed)).body as AcceptedRun;
  for (const node of all) expect((await call(node, '/soon', keyed)).body).toEqual(first);
  const begun = await Promise.all(
    all.map(async (node) => ((await call(node, '/soon', { method: 'POST' })).body as AcceptedRun).run),
  );
  for (const run of [first.run, ...begun])
    await eventually(async () => expect(await statusOf(right, run)).toBe('ok'));

  // No time of a schedule comes early, late or twice.
  const said: string[] = [];
  const before = Date.now();
  const outside = await listening((request, response) => {
    said.push(new URL(request.url ?? '', 'http://x').searchParams.get('at') ?? '');
    response.end('{}');
  });
  await publish(right, {
    format: 1,
    id: 'ticking',
    nodes: {
      clock: { operator: 'trigger.schedule', params: { cron: '* * * * * *', overlap: 'allow' } },
      tell: { operator: 'http.request', params: { url: `${outside}/?at={{ input.at }}` } },
    },
    edges: [{ from: 'clock.out', to: 'tell.in' }],
    settings: { durable: false },
  });
  await eventually(() => expect(said.length).toBeGreaterThan(5));
  expect(new Set(said).size).toBe(said.length);
  const times = said.map((at) => Date.parse(at));
  expect(Math.min(...times)).toBeGreaterThan(before - HOUR_MS / 2);
  expect(Math.max(...times)).toBeLessThan(Date.now() + HOUR_MS / 2);

  // A notice that is on its way is sent by no other server as well, also by one that thinks it is late.
  const told: string[] = [];
  const receiver = await listening((request, response) => {
    void text(request).then((body) => told.push((JSON.parse(body) as AcceptedRun).run));
    setTimeout(() => response.end(), 3000);
  });
  const telling = waitingFlow('telling', { for: '1ms' });
  const notify = { url: receiver };
  const trigger = httpTrigger('/telling', { methods: ['POST'], answer: 'immediately', notify });
  await publish(right, { ...telling, nodes: { ...telling.nodes, trigger } });
  const tellers = [right, behind, ahead];
  for (const [n, node] of tellers.entries()) {
    await call(node, '/telling', { method: 'POST' });
    await eventually(() => expect(new Set(told).size).toBe(n + 1));
  }
  await pause(4000);
  expect(told).toHaveLength(tellers.length);

  // Nobody takes over what lives: leases are the database's.
  expect((await nodesOf(right)).map(({ state }) => state)).toEqual(['up', 'up', 'up']);
});

test('servers that do not reach each other: runs say so, changes are made everywhere, and the list tells who does not reach whom', async () => {
  const url = await newDatabase();
  // Nobody listens there: a firewall, or a wrong address.
  const [a, hidden] = await Promise.all([
    startNode(url),
    startNode(url, { WEFT_INTERNAL_URL: 'http://127.0.0.1:9' }),
  ]);
  await publish(hidden, lateFlow('slow', 'done', 30_000));
  await publish(hidden, {
    ...lateFlow('behind', 'done', 30_000),
    nodes: {
      ...lateFlow('behind', 'done', 30_000).nodes,
      trigger: httpTrigger('/behind', { answer: 'immediately' }),
    },
    settings: { durable: false },
  });
  const { run } = (await call(hidden, '/behind')).body as AcceptedRun;
  const refused = await a.owner.api('GET', `/runs/${run}`);
  expect([refused.status, refused.body]).toMatchObject([503, { err_code: 'run_server_unreachable' }]);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect((await hidden.owner.data<RunSummary>('GET', `/runs/${run}`)).status).toBe('running');
  // The barrier goes through the database: nobody is late.
  for (const [by, other] of [
    [a, hidden],
    [hidden, a],
  ] as const) {
    const id = by === a ? 'by_a' : 'by_hidden';
    const saved = await by.owner.api('POST', '/flows', { text: JSON.stringify(sayFlow(id, 'here')) });
    expect([saved.status, saved.headers.get('x-weft-pending')]).toEqual([201, null]);
    expect((await call(other, `/${id}`)).body).toBe('here');
  }
  const hiddenName = (await nodesOf(hidden)).find(({ self }) => self)?.name as string;
  await eventually(async () => {
    const list = await nodesOf(a);
    expect(list.find(({ self }) => self)?.unreachable).toEqual([hiddenName]);
    expect(list.find(({ self }) => !self)?.unreachable).toBeUndefined();
  });
  expect(await listedBy(url)).toContain(`cannot reach ${hiddenName} at http://127.0.0.1:9`);
  expect(a.output()).toContain('these servers cannot be reached');
  // It is no news any more once it is gone.
  await hidden.stop('SIGKILL');
  await eventually(async () => {
    const list = await nodesOf(a);
    expect(list.map(({ state }) => state).sort()).toEqual(['gone', 'up']);
    expect(list.every(({ unreachable }) => unreachable === undefined)).toBe(true);
  });
});
