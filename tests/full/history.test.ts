import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunExport, RunPage } from '#shared/api.ts';
import { call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, sayFlow, write } from '../support/flows.ts';
import { metric } from '../support/metrics.ts';
import { discard, type ServerSetup, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** What ran, as the disk remembers it. */

async function start(setup: ServerSetup): Promise<TestServer> {
  const server = await startServer(setup);
  onTestFinished(() => discard(server));
  return server;
}

const greeting = sayFlow('greet', 'Hello, {{ trigger.query.name }}', httpTrigger('/greet'));
const failing: FlowJson = {
  format: 1,
  id: 'refuse',
  nodes: {
    refuse: { operator: 'logic.stop', params: { code: 'out_of_stock', message: 'No apples left' } },
    trigger: httpTrigger('/refuse', { methods: ['GET'] }),
  },
  edges: [{ from: 'trigger.out', to: 'refuse.in' }],
};

async function startWithFlows(): Promise<TestServer> {
  const flows = tempFolder('flows');
  write(flows, 'greet.json', greeting);
  write(flows, 'refuse.json', failing);
  return start({ flows });
}

const list = (owner: Owner, query = '') => owner.data<RunPage>('GET', `/runs${query}`);

describe('the run history', () => {
  test('is the same after a restart: rows, values and errors', async () => {
    const server = await startWithFlows();
    await call(server, '/greet?name=Ada');
    expect((await call(server, '/refuse')).status).toBeGreaterThanOrEqual(400);
    const owner = await signIn(server);
    const before = await list(owner);
    expect(before.runs.map(({ flow, status }) => [flow, status])).toEqual([
      ['refuse', 'failed'],
      ['greet', 'ok'],
    ]);
    const [failed, good] = before.runs;
    const events = (by: Owner) => by.data<RunExport>('GET', `/runs/${good?.run}/events`);
    const seen = await events(owner);
    await server.stop();

    const later = await signIn(await start({ flows: server.flows, data: server.data }));
    expect((await list(later)).runs).toEqual(before.runs);
    expect(await events(later)).toEqual(seen);
    expect(JSON.stringify(seen)).toContain('Hello, Ada');
    expect(failed?.error).toMatchObject({ message: 'No apples left' });
  });

  test('loses at most its last moment when the process is killed', async () => {
    const server = await startWithFlows();
    const names = Array.from({ length: 200 }, (_, i) => `n${i}`);
    for (const name of names) await call(server, `/greet?name=${name}`);
    const owner = await signIn(server);
    expect((await list(owner, '?limit=500')).runs).toHaveLength(200);
    for (let i = 0; i < 50; i++) await call(server, '/greet?name=late');
    await server.stop('SIGKILL');

    const next = await start({ flows: server.flows, data: server.data });
    const { runs } = await list(await signIn(next), '?limit=500');
    expect(runs.length).toBeGreaterThanOrEqual(200);
    expect(runs.length).toBeLessThanOrEqual(250);
    expect(new Set(runs.map(({ run }) => run)).size).toBe(runs.length);
  });

  test('is searched by flow, status, error code, time and text', async () => {
    const server = await startWithFlows();
    const owner = await signIn(server);
    await call(server, '/greet?name=Ada');
    await call(server, '/refuse');
    const flows = async (query: string) => (await list(owner, query)).runs.map(({ flow }) => flow);
    const [failed] = (await list(owner, '?status=failed')).runs;
    expect(failed?.flow).toBe('refuse');
    expect(await flows(`?code=${failed?.error?.code}`)).toEqual(['refuse']);
    expect(await flows('?text=APPLES')).toEqual(['refuse']);
    expect(await flows('?flow=greet')).toEqual(['greet']);
    expect(await flows('?source=manual')).toEqual([]);
    expect(await flows(`?since=${Date.now() + 60_000}`)).toEqual([]);
    expect(await flows(`?until=${new Date(Date.now() + 60_000).toISOString()}&source=http`)).toHaveLength(2);
    expect(await flows('?since=2026-01-01&source=http')).toHaveLength(2);
    expect(await flows('?until=2026-01-01')).toEqual([]);
    const refused = await owner.api('GET', '/runs?since=yesterday');
    expect(refused.status).toBe(400);
    expect(refused.text).toContain(
      'query.since: Give Unix milliseconds, a day such as 2026-11-01, or a time',
    );
  });

  test('gives one run as a file, and forgets one on demand', async () => {
    const server = await startWithFlows();
    const owner = await signIn(server);
    await call(server, '/greet?name=Ada');
    const [row] = (await list(owner)).runs;
    const url = `/runs/${row?.run}`;
    const exported = await owner.api('GET', `${url}/export`);
    expect(exported.headers.get('content-disposition')).toContain(`greet-${row?.run}.run.json`);
    const file = exported.body as RunExport;
    expect(file).toMatchObject({ format: 'weft.run/1', summary: row });
    expect(file.events.at(-1)).toMatchObject({ kind: 'run-finished', status: 'ok' });

    expect((await owner.api('DELETE', url)).status).toBe(200);
    for (const path of [url, `${url}/events`, `${url}/export`])
      expect((await owner.api('GET', path)).status).toBe(404);
    expect((await owner.api('DELETE', url)).status).toBe(404);
    expect((await list(owner)).runs).toEqual([]);
  });

  test('that cannot be written costs no trigger its answer, and is counted', async () => {
    const data = tempFolder('data');
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'runs'), 'in the way');
    const flows = tempFolder('flows');
    write(flows, 'greet.json', greeting);
    const server = await start({ flows, data });
    expect((await call(server, '/greet?name=Ada')).body).toBe('Hello, Ada');
    await eventually(async () => expect(await metric(server, 'weft_runs_dropped_total')).toBeGreaterThan(0));
    const owner = await signIn(server);
    const refused = await owner.api('GET', '/runs');
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ err_code: 'storage_failed' });

    rmSync(join(data, 'runs'));
    expect((await call(server, '/greet?name=Bob')).body).toBe('Hello, Bob');
    await eventually(async () => expect((await list(owner)).runs).toHaveLength(1));
  });
});
