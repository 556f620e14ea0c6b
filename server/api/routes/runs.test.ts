import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunEventPage, RunPage, StartedRun } from '#shared/api.ts';
import type { FlowNode } from '#shared/flow.ts';
import { RunSummary } from '#shared/run-event.ts';
import { connect } from '../../execution/runs/testing/socket-bed.ts';
import { type Bed, signIn, startBed, tempFolder } from '../../testing/platform-bed.ts';

const manual = { operator: 'trigger.manual' };
const greet = { operator: 'text.template', params: { template: 'Hello, {{ input.name }}' } };
const wait = { operator: 'logic.delay', params: { ms: 60_000 } };
const hello = { trigger: manual, greet };

function flowText(id: string, nodes: Record<string, FlowNode>, edges: string[]): string {
  const list = edges.map((edge) => ({ from: edge.split('>')[0], to: edge.split('>')[1] }));
  return JSON.stringify({ format: 1, id, nodes, edges: list });
}

const flows: Record<string, string> = {
  hello: flowText('hello', hello, ['trigger.out>greet.in']),
  slow: flowText('slow', { trigger: manual, wait }, ['trigger.out>wait.in']),
  two: flowText('two', { ...hello, other: manual, again: greet }, [
    'trigger.out>greet.in',
    'other.out>again.in',
  ]),
  http: flowText(
    'http',
    {
      trigger: { operator: 'trigger.http', params: { path: '/t', auth: 'none' } },
      greet: {
        operator: 'text.template',
        params: { template: '{{ trigger.method }} {{ trigger.query.name }}' },
      },
    },
    ['trigger.out>greet.in'],
  ),
  items: flowText('items', { trigger: manual, each: { operator: 'core.streamify' } }, [
    'trigger.out>each.in',
  ]),
};

const keyHeader = { headers: { authorization: 'Bearer key-with-default-scopes' } };

interface Caller {
  readonly bed: Bed;
  get(path: string): Promise<{ status: number; body: { data: unknown; err_code: string | null } }>;
  post(
    path: string,
    body?: unknown,
  ): Promise<{ status: number; headers: Headers; body: { data: unknown; err_code: string | null } }>;
  run(flow: string, body?: unknown): Promise<StartedRun>;
}

/** A server with the flows above, and a signed-in caller. */
async function callServer(): Promise<Caller> {
  const folder = join(await tempFolder(), 'flows');
  await mkdir(folder);
  for (const [id, text] of Object.entries(flows)) await writeFile(join(folder, `${id}.json`), text);
  const bed = await startBed({ flows: [folder], apiKeys: ['key-with-default-scopes'], graceMs: 0 });
  const headers = await signIn(bed);
  const call = async (
    path: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ) => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      ...init,
      headers: { ...headers, ...init.headers },
    });
    const body = (await answer.json()) as { data: unknown; err_code: string | null };
    return { status: answer.status, headers: answer.headers, body };
  };
  const post = (path: string, body?: unknown) =>
    call(path, {
      method: 'POST',
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
  const run = async (flow: string, body: unknown = {}) =>
    StartedRun.parse((await post(`/flows/${flow}/run`, body)).body.data);
  return { bed, get: (path) => call(path), post, run };
}

describe('starting a run by hand', () => {
  test('it is answered with the result, and the run is kept whole', async () => {
    const { get, post } = await callServer();
    const { status, headers, body } = await post('/flows/hello/run', { input: { name: 'Ada' } });
    const started = StartedRun.parse(body.data);
    expect(status).toBe(200);
    expect(headers.get('x-weft-run')).toBe(started.run);
    expect(started).toMatchObject({
      status: 'ok',
      answer: { kind: 'value', status: 200, body: 'Hello, Ada' },
    });
    const summary = RunSummary.parse((await get(`/runs/${started.run}`)).body.data);
    expect(summary).toMatchObject({ flow: 'hello', source: 'manual', status: 'ok', recorded: true });
  });

  test('the input stands in the query for a trigger of GET', async () => {
    const { run } = await callServer();
    expect(await run('http', { input: { name: 'Ada' } })).toMatchObject({ answer: { body: 'GET Ada' } });
  });

  test('a run that fails is answered with its error, as the result of asking and not as a failure of it', async () => {
    const { run } = await callServer();
    const failed = await run('hello', { input: {} });
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'missing_field', node: 'greet' } });
    expect(failed.answer).toMatchObject({ kind: 'error' });
  });

  test('a stream is answered as the list of its items', async () => {
    const { run } = await callServer();
    expect(await run('items', { input: [1, 2, 3] })).toMatchObject({
      status: 'ok',
      answer: { body: [1, 2, 3] },
    });
  });

  test('without waiting it is answered at once with 202, and the run can be looked up and cancelled', async () => {
    const { bed, get, post } = await callServer();
    const { status, headers, body } = await post('/flows/slow/run', { input: 1, wait: false });
    const { run } = StartedRun.parse(body.data);
    expect([status, headers.get('location')]).toEqual([202, `/api/v1/runs/${run}`]);
    expect((await get(`/runs/${run}`)).body.data).toMatchObject({ status: 'running' });
    expect((await post(`/runs/${run}/cancel`)).status).toBe(202);
    const follower = await connect(`${bed.url.replace('http', 'ws')}/api/v1/runs/${run}/stream`, keyHeader);
    await follower.closed;
    expect((await get(`/runs/${run}`)).body.data).toMatchObject({ status: 'cancelled' });
    expect(await post(`/runs/${run}/cancel`)).toMatchObject({ status: 409, body: { err_code: 'conflict' } });
  });

  test('a flow with several triggers needs the name of one', async () => {
    const { post, run } = await callServer();
    expect(await post('/flows/two/run', { input: { name: 'Ada' } })).toMatchObject({
      status: 400,
      body: { err_code: 'invalid_request', err_msg: expect.stringContaining('`other`, `trigger`') },
    });
    expect((await post('/flows/two/run', { trigger: 'nope' })).status).toBe(400);
    expect(await run('two', { trigger: 'other', input: { name: 'Ada' } })).toMatchObject({ status: 'ok' });
  });

  test('a draft is run as it is being edited, and a flow that is only a draft gets an error that names it', async () => {
    const { get, post, run } = await callServer();
    const broken = flowText('fresh', hello, ['trigger.out>nowhere.in']);
    expect((await post('/flows', { id: 'fresh', text: broken })).status).toBe(201);
    expect(await post('/flows/fresh/run', {})).toMatchObject({ status: 409, body: { err_code: 'conflict' } });
    expect(await post('/flows/fresh/run', { draft: true })).toMatchObject({
      body: { err_code: 'flow_invalid' },
    });
    const tested = await run('hello', { draft: true, input: { name: 'Ada' } });
    expect((await get(`/runs/${tested.run}`)).body.data).toMatchObject({ source: 'test', recorded: true });
  });

  test('an unknown flow and an unknown field are refused', async () => {
    const { post } = await callServer();
    expect(await post('/flows/nope/run', {})).toMatchObject({
      status: 404,
      body: { err_code: 'flow_not_found' },
    });
    expect(await post('/flows/hello/run', { inptu: 1 })).toMatchObject({ status: 400 });
  });
});

describe('reading runs', () => {
  test('the list is paged, newest first, and filtered', async () => {
    const { get, run } = await callServer();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await run('hello', { input: { name: `n${i}` } })).run);
    await run('hello', { input: {} });
    const page = async (query: string) => RunPage.parse((await get(`/runs?${query}`)).body.data);
    const first = await page('flow=hello&status=ok&limit=3');
    expect(first.runs.map((row) => row.run)).toEqual(ids.toReversed().slice(0, 3));
    const second = await page(`flow=hello&status=ok&limit=3&before=${first.next}`);
    expect(second.runs.map((row) => row.run)).toEqual(ids.toReversed().slice(3));
    expect(second.next).toBeUndefined();
    expect((await page('status=failed')).runs).toMatchObject([
      { flow: 'hello', error: { code: 'missing_field' } },
    ]);
    expect((await page('flow=slow')).runs).toEqual([]);
  });

  test('events come in pages by sequence number', async () => {
    const { get, run } = await callServer();
    const { run: id } = await run('hello', { input: { name: 'Ada' } });
    const page = async (query: string) =>
      RunEventPage.parse((await get(`/runs/${id}/events?${query}`)).body.data);
    const all = await page('');
    expect(all.events.map((event) => event.kind)).toEqual(
      expect.arrayContaining(['run-started', 'node-output', 'run-finished']),
    );
    const first = await page('limit=2');
    expect(first).toEqual({ events: all.events.slice(0, 2), more: true });
    expect(await page('after=2')).toEqual({ events: all.events.slice(2), more: false });
    expect((await page('after=99')).events).toEqual([]);
  });

  test.each(['/runs/nope', '/runs/nope/events'])('an unknown run is 404 at %s', async (path) => {
    const { get } = await callServer();
    expect(await get(path)).toMatchObject({ status: 404, body: { err_code: 'run_not_found' } });
  });

  test.each(['limit=0', 'limit=x', 'status=done', 'flow=../x', 'page=2'])(
    'the query %s is refused',
    async (query) => {
      const { get } = await callServer();
      expect(await get(`/runs?${query}`)).toMatchObject({
        status: 400,
        body: { err_code: 'invalid_request' },
      });
    },
  );
});

describe('who may', () => {
  test('reading needs runs:read, starting and cancelling need runs:write', async () => {
    const { bed } = await callServer();
    const status = async (method: string, path: string, key?: string) => {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
      return (await fetch(`${bed.url}/api/v1${path}`, { method, headers })).status;
    };
    const key = 'key-with-default-scopes';
    const routes = [
      'GET /runs',
      'GET /runs/x',
      'GET /runs/x/events',
      'POST /runs/x/cancel',
      'POST /flows/hello/run',
    ];
    const seen = await Promise.all(
      routes.map(async (route) => {
        const [method = '', path = ''] = route.split(' ');
        return [await status(method, path), await status(method, path, key)];
      }),
    );
    expect(seen).toEqual([
      [401, 200],
      [401, 404],
      [401, 404],
      [401, 403],
      [401, 403],
    ]);
  });

  test('the websocket asks for a key or a session of our own page', async () => {
    const { bed } = await callServer();
    const url = `${bed.url.replace('http', 'ws')}/api/v1/runs/stream`;
    const refused = await connect(url).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      status: expect.toSatisfy((status: number) => status === 401 || status === 403),
    });
    const client = await connect(url, keyHeader);
    const { cookie } = await signInAgain(bed);
    const page = await connect(url, { headers: { cookie, origin: bed.url } });
    const stranger = connect(url, { headers: { cookie, origin: 'http://evil.example' } });
    await expect(stranger).rejects.toMatchObject({ status: 403 });
    client.ws.terminate();
    page.ws.terminate();
  });
});

/** A start token signs in one browser, once. */
async function signInAgain(bed: Bed): Promise<{ cookie: string }> {
  return signIn({ ...bed, token: bed.ctx.access.issueStartToken() });
}

test('a run is seen live over a websocket while it is started over HTTP', async () => {
  const { bed, run } = await callServer();
  const url = `${bed.url.replace('http', 'ws')}/api/v1/runs/stream?flow=hello`;
  const client = await connect(url, keyHeader);
  const started = await run('hello', { input: { name: 'Ada' } });
  const items = await client.until((seen) =>
    seen.some((item) => 'event' in item && item.event.kind === 'run-summary'),
  );
  const events = items.flatMap((item) => ('event' in item ? [item.event] : []));
  expect(events.at(0)).toMatchObject({ kind: 'run-started', run: started.run });
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'node-output', node: 'greet', value: 'Hello, Ada' }),
  );
  expect(events.at(-1)).toMatchObject({ kind: 'run-summary', summary: { run: started.run, status: 'ok' } });
});
