import { expect, test } from 'vitest';
import type { DeletedRuns, RunPage } from '#shared/api.ts';
import { signIn, startBed } from '../../testing/platform-bed.ts';

const flow = (id: string, ms: number) => ({
  format: 1,
  id,
  nodes: {
    start: { operator: 'trigger.manual' },
    wait: { operator: 'logic.delay', params: { ms } },
  },
  edges: [{ from: 'start.out', to: 'wait.in' }],
});

test('runs that fit a query are forgotten page by page; others and those in progress stay', async () => {
  const bed = await startBed({ graceMs: 0 });
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const sent = body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(`${bed.url}/api/v1${path}`, { method, headers, body: sent });
    return ((await answer.json()) as { data: T }).data;
  };
  for (const [id, ms] of Object.entries({ quick: 0, other: 0, slow: 600_000 })) {
    await call('POST', '/flows', { flow: flow(id, ms) });
  }
  for (const id of ['quick', 'quick', 'quick', 'other']) await call('POST', `/flows/${id}/run`, {});
  await call('POST', '/flows/slow/run', { wait: false });
  const left = async () => (await call<RunPage>('GET', '/runs')).runs.map((run) => run.flow).sort();

  const first = await call<DeletedRuns>('DELETE', '/runs?flow=quick&limit=2', {});
  expect(first).toMatchObject({ deleted: 2, next: expect.any(String) });
  const second = await call<DeletedRuns>('DELETE', `/runs?flow=quick&limit=2&before=${first.next}`, {});
  expect(second).toEqual({ deleted: 1 });
  expect(await left()).toEqual(['other', 'slow']);
  expect(await call<DeletedRuns>('DELETE', '/runs', {})).toEqual({ deleted: 1 });
  expect(await left()).toEqual(['slow']);
});

test('a run is forgotten with the runs that were parts of it', async () => {
  const bed = await startBed();
  const { runs } = bed.ctx;
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const send = (method: string, path: string, body: unknown = {}): Promise<Response> =>
    fetch(`${bed.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  const calling = (id: string, called: string) => ({
    ...flow(id, 0),
    nodes: {
      start: { operator: 'trigger.manual' },
      wait: { operator: 'flow.call', params: { flow: called } },
    },
  });
  for (const one of [flow('inner', 0), calling('middle', 'inner'), calling('outer', 'middle')])
    await send('POST', '/flows', { flow: one });
  await send('POST', '/flows/outer/run');
  await send('POST', '/flows/inner/run');
  const all = await runs.list({ nested: true, limit: 10 });
  expect(all.map((row) => row.flow).sort()).toEqual(['inner', 'inner', 'middle', 'outer']);
  const outer = all.find((row) => row.flow === 'outer')?.run;
  expect((await send('DELETE', `/runs/${outer}`)).status).toBe(200);
  expect((await runs.list({ nested: true, limit: 10 })).map((row) => row.flow)).toEqual(['inner']);
});

test('a durable run is forgotten with its waits and its address, once it has ended', async () => {
  const bed = await startBed();
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const send = (method: string, path: string, body: unknown = {}): Promise<Response> =>
    fetch(`${bed.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  const ask = { operator: 'human.approval', params: { title: 'Shall we?' } };
  const asking = { ...flow('asks', 0), nodes: { ...flow('asks', 0).nodes, wait: ask } };
  await send('POST', '/flows', { flow: asking });
  const started = await send('POST', '/flows/asks/run', { wait: false });
  const { run } = ((await started.json()) as { data: { run: string } }).data;
  const address = `${bed.url}${await bed.ctx.links.of(run)}`;
  expect((await bed.ctx.durable.settled(run)).status).toBe('waiting');
  expect(await (await send('DELETE', `/runs/${run}`)).json()).toMatchObject({ err_code: 'conflict' });
  expect(await (await send('DELETE', '/runs')).json()).toMatchObject({ data: { deleted: 0 } });
  await send('POST', `/runs/${run}/cancel`);
  await bed.ctx.durable.ended(run);
  expect((await fetch(address)).status).toBe(200);
  expect(await bed.ctx.waits.get(`${run}.wait`)).toBeDefined();
  expect((await send('DELETE', `/runs/${run}`)).status).toBe(200);
  expect((await fetch(address)).status).toBe(404);
  expect(await bed.ctx.waits.get(`${run}.wait`)).toBeUndefined();
  expect(await bed.ctx.durable.list({ limit: 10 })).toEqual([]);
  expect(await (await send('DELETE', `/runs/${run}`)).json()).toMatchObject({ err_code: 'run_not_found' });
});

test('a caller who may not read runs does not learn how many there are', async () => {
  const bed = await startBed();
  const { key } = await bed.ctx.keys.create({ name: 'writer', scopes: ['runs:write'] });
  const answer = await fetch(`${bed.url}/api/v1/runs?status=failed`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${key}` },
  });
  expect(await answer.json()).toMatchObject({
    err_code: 'forbidden',
    err_msg: expect.stringContaining('`runs:read`'),
  });
});
