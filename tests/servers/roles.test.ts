import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import type { NodeInfo } from '#shared/node.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { ask, call } from '../support/client.ts';
import { type Node, publish, SECRETS_KEY, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, sayFlow } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import { discard, product, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** Servers that answer requests, and servers that execute what nobody waits for (`WEFT_ROLE`). */
const shared = (url: string) => ({ WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: SECRETS_KEY });

async function startWorker(url: string): Promise<TestServer> {
  const server = await startServer({ env: { ...shared(url), WEFT_ROLE: 'worker' } });
  onTestFinished(() => discard(server));
  return server;
}

function weft(env: Record<string, string>, ...args: string[]) {
  const own = { WEFT_DATA: tempFolder('data'), WEFT_FLOWS: tempFolder('flows'), ...env };
  return runProgram(process.execPath, [join(product, 'server/weft.js'), ...args], { env: own });
}

const accepted: FlowJson = sayFlow('later', 'done', httpTrigger('/later', { answer: 'immediately' }));
const ticking: FlowJson = {
  format: 1,
  id: 'ticking',
  nodes: {
    clock: { operator: 'trigger.schedule', params: { cron: '* * * * * *' } },
    say: { operator: 'text.template', params: { template: '{{ input.at }}' } },
  },
  edges: [{ from: 'clock.out', to: 'say.in' }],
};

const statusOf = async (node: Node, run: string): Promise<string> =>
  (await node.owner.data<RunSummary>('GET', `/runs/${run}`)).status;

const runsOf = async (node: Node, flow: string): Promise<RunSummary[]> =>
  (await node.owner.data<{ runs: RunSummary[] }>('GET', `/runs?flow=${flow}`)).runs;

test('a run that is started on a web server waits for a worker, ends there, and is told by the web server', async () => {
  const url = await newDatabase();
  const web = await startNode(url, { WEFT_ROLE: 'web' });
  await publish(web, accepted);
  await publish(web, sayFlow('hello', 'ha'));
  await publish(web, ticking);
  expect((await call(web, '/hello')).text).toBe('"ha"');
  const { run } = (await call(web, '/later')).body as { run: string };

  const listed = await weft(shared(url), 'nodes');
  expect(listed.stdout).toContain(`${web.url}  up  web  `);
  expect(listed.stdout).toContain('No worker is up: durable runs, schedules, sources and notices wait');
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  // Longer than the time after which any server would look for what others left.
  await new Promise((resolve) => setTimeout(resolve, 6000));
  expect(await statusOf(web, run)).toBe('running');
  expect(await runsOf(web, 'ticking')).toEqual([]);
  expect(await sql`SELECT name FROM claim WHERE name NOT LIKE 'flow%'`).toEqual([]);

  const worker = await startWorker(url);
  await eventually(async () => expect(await statusOf(web, run)).toBe('ok'));
  await eventually(async () => expect((await runsOf(web, 'ticking')).length).toBeGreaterThan(0));
  const after = await weft(shared(url), 'nodes');
  expect(after.stdout).toContain(`${worker.url}  up  worker  `);
  expect(after.stdout).not.toContain('No worker');
  const next = (await call(web, '/later')).body as { run: string };
  await eventually(async () => expect(await statusOf(web, next.run)).toBe('ok'));
});

test('a worker serves health and other servers, and says to all else where to go', async () => {
  const url = await newDatabase();
  const web = await startNode(url, { WEFT_ROLE: 'web' });
  const worker = await startWorker(url);
  await publish(web, sayFlow('hello', 'ha'));
  expect(worker.key).toBe('');
  expect(worker.output()).toContain('WEFT_ROLE=worker without WEFT_PUBLIC_URL');
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect([path, (await ask(`${worker.url}${path}`)).status]).toEqual([path, 200]);
  const refused = await call(worker, '/hello');
  expect([refused.status, refused.body]).toMatchObject([404, { err_code: 'not_found' }]);
  expect(refused.text).toContain('WEFT_ROLE=worker');
  for (const path of ['/', '/api/v1/flows', '/api/v1/nodes', '/form/x'])
    expect([path, (await ask(`${worker.url}${path}`)).status]).toEqual([path, 404]);
  const list = await web.owner.data<NodeInfo[]>('GET', '/nodes');
  expect(list.map(({ role, url: at }) => [role, at]).sort()).toEqual([
    ['web', web.url],
    ['worker', worker.url],
  ]);
  expect(await worker.stop()).toBe(0);
  expect(await web.owner.data<NodeInfo[]>('GET', '/nodes')).toHaveLength(1);
});

test('weft nodes asks the server of its settings, at its port', async () => {
  const server = await startServer();
  onTestFinished(() => discard(server));
  const { port } = new URL(server.url);
  const env = { WEFT_DATA: server.data, WEFT_PORT: port };
  const made = await weft(env, 'keys', 'create', 'ops', '--scopes', 'admin');
  const { stdout } = await weft({ ...env, WEFT_API_KEY: made.stdout.trim() }, 'nodes');
  expect(stdout).toContain('  up  ');
  // The key of the first start, from the data folder.
  const refused = await weft(env, 'nodes');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('scope')]);
  await server.stop();
  const gone = await weft(env, 'nodes');
  expect([gone.code, gone.stderr]).toEqual([
    1,
    expect.stringContaining(`http://127.0.0.1:${port} cannot be reached`),
  ]);
});

test('a role other than all needs a database', async () => {
  const { code, stderr } = await weft({ WEFT_ROLE: 'worker' }, 'serve');
  expect([code, stderr]).toEqual([1, expect.stringContaining('role_needs_database: WEFT_ROLE=worker')]);
});
