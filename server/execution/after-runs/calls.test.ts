import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  AcceptedRun,
  CalledRun,
  DeadLetterPage,
  Delivery,
  Retried,
  RunFailure,
  RunNotice,
} from '#shared/calls-api.ts';
import type { Flow } from '#shared/flow.ts';
import { type RunningServer, startServer } from '../../server.ts';
import { testConfig } from '../../testing/fake-context.ts';
import { type Outside, startOutside } from './testing/outside.ts';
import { eventually } from '../../../tests/support/eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-calls-'));
let outside: Outside;
let server: RunningServer;
let key: string;

/** A flow that calls the outside server, with the given `settings` and params of the trigger. */
function asking(id: string, params: object, settings: Flow['settings'] = {}): Flow {
  const trigger = { path: `/${id}`, methods: ['POST'], auth: 'none', ...params };
  const request = {
    url: `${outside.url}/${id}`,
    method: 'POST',
    bodyType: 'json',
    body: '{{ trigger.body }}',
  };
  return {
    format: 1,
    id,
    settings,
    nodes: {
      start: { operator: 'trigger.http', params: trigger },
      ask: { operator: 'http.request', params: request },
    },
    edges: [{ from: 'start.out', to: 'ask.in' }],
  };
}

const collecting = (): Flow => ({
  format: 1,
  id: 'collect',
  nodes: {
    start: { operator: 'trigger.manual' },
    tell: {
      operator: 'http.request',
      params: {
        url: `${outside.url}/failures`,
        method: 'POST',
        bodyType: 'json',
        body: '{{ trigger.body }}',
      },
    },
  },
  edges: [{ from: 'start.out', to: 'tell.in' }],
});

const flows = (): Flow[] => {
  const notify = { url: `${outside.url}/hook`, secret: { $secret: 'hook' } };
  const failing = { onFailure: 'collect' };
  return [
    asking('later', { answer: 'immediately' }),
    asking('told', { answer: 'immediately', notify }),
    asking('lasting', {}, { durable: true, ...failing }),
    asking('plain', { answer: 'immediately' }, { durable: false, ...failing }),
    asking('one', {}, { maxRuns: 1 }),
    asking('queue', {}, { maxRuns: 1, whenFull: 'queue' }),
    asking('once', { answer: 'immediately' }, { maxRuns: 1, whenFull: 'reject' }),
    asking('turns', { answer: 'immediately' }, { maxRuns: 1, maxRunsKey: '{{ trigger.body.who }}' }),
    collecting(),
  ];
};

beforeAll(async () => {
  outside = await startOutside();
  const config = testConfig({
    data: join(folder, 'data'),
    flows: [join(folder, 'flows')],
    outboundAllow: ['127.0.0.1'],
    secrets: { hook: 'a-secret-of-hooks' },
    grants: { hook: { operators: ['trigger.http'] } },
  });
  mkdirSync(join(folder, 'flows'));
  for (const flow of flows()) writeFileSync(join(folder, 'flows', `${flow.id}.json`), JSON.stringify(flow));
  server = await startServer(config, { editorFiles: '/nonexistent' });
  const made = await server.ctx.keys.create({ name: 'ops', scopes: ['runs:read', 'runs:write'] });
  ({ key } = made);
});

afterAll(async () => {
  outside.free();
  await server.stop();
  outside.close();
  rmSync(folder, { recursive: true, force: true });
});

const url = (path: string) => `http://127.0.0.1:${server.port}${path}`;

function call(
  flow: string,
  body: unknown = {},
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  const init = { method: 'POST', body: JSON.stringify(body), signal };
  const type = { 'content-type': 'application/json' };
  return fetch(url(`/api/v1/awel/trigger/${flow}`), { ...init, headers: { ...type, ...headers } });
}

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url(`/api/v1${path}`), {
    method,
    headers: body === undefined ? { authorization: headers.authorization } : headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { data, err_msg: message } = (await answer.json()) as { data: T; err_msg: string | null };
  if (message !== null) throw new Error(`${method} ${path}: ${message}`);
  return data;
}

const statusOf = async (path: string) =>
  ((await (await fetch(url(path))).json()) as { data: CalledRun }).data;
const sentTo = (path: string) => outside.got.filter((one) => one.path === path);
/** The answer at the status address of a 202, once the run is over. */
const ended = (statusUrl: string) =>
  eventually(async () => {
    const status = await statusOf(statusUrl);
    expect(status.endedAt).toBeDefined();
    return status;
  });

describe('a trigger that answers immediately', () => {
  test('gives 202 with an address for the status, which needs no key and shows the answer', async () => {
    outside.held.add('/later');
    const answer = await call('later', { n: 1 });
    const accepted = (await answer.json()) as AcceptedRun;
    expect(answer.status).toBe(202);
    expect(answer.headers.get('location')).toBe(`/api/v1/runs/${accepted.run}`);
    expect(answer.headers.get('x-weft-run')).toBe(accepted.run);
    expect((await statusOf(accepted.statusUrl)).endedAt).toBeUndefined();
    outside.free();
    expect(await ended(accepted.statusUrl)).toMatchObject({
      run: accepted.run,
      flow: 'later',
      status: 'ok',
      answer: { status: 200, body: { body: { path: '/later' } } },
    });
    for (const wrong of [
      accepted.statusUrl.replace(/.{4}$/, 'AAAA'),
      accepted.statusUrl.replace(accepted.run, 'x'),
    ])
      expect((await fetch(url(wrong))).status).toBe(404);
  });

  test('starts one run for a key, and gives the same 202 to a repeat', async () => {
    const before = sentTo('/later').length;
    const [one, two] = [
      await call('later', { n: 2 }, { 'idempotency-key': 'k' }),
      await call('later', { n: 2 }, { 'idempotency-key': 'k' }),
    ];
    expect([one.status, two.status, two.headers.get('idempotent-replayed')]).toEqual([202, 202, 'true']);
    const accepted = (await one.json()) as AcceptedRun;
    expect(await two.json()).toEqual(accepted);
    await ended(accepted.statusUrl);
    expect(sentTo('/later')).toHaveLength(before + 1);
  });
});

describe('a trigger of a durable flow that answers with the result', () => {
  test('waits for it, and a caller that leaves does not end the run', async () => {
    expect(await (await call('lasting', {})).json()).toMatchObject({ body: { path: '/lasting' } });
    outside.held.add('/lasting');
    const before = sentTo('/lasting').length;
    const gone = new AbortController();
    const left = call('lasting', {}, {}, gone.signal);
    await eventually(() => expect(sentTo('/lasting')).toHaveLength(before + 1));
    gone.abort();
    await expect(left).rejects.toThrow();
    outside.free();
    const { runs } = await api<{ runs: { run: string }[] }>('GET', '/runs?flow=lasting');
    await eventually(async () =>
      expect(await api('GET', `/runs/${runs[0]?.run}`)).toMatchObject({ status: 'ok' }),
    );
  });
});

test('the address in `notify` gets a signed notice of the end, repeated until it arrives', async () => {
  outside.failing.add('/hook');
  const { run } = (await (await call('told', { n: 1 })).json()) as AcceptedRun;
  await eventually(() => expect(sentTo('/hook')).toHaveLength(1));
  await eventually(async () =>
    expect(await api<Delivery[]>('GET', '/deliveries')).toEqual([
      expect.objectContaining({ run, status: 'due', attempts: 1, problem: 'It answered 500.' }),
    ]),
  );
  outside.failing.clear();
  await eventually(() => expect(sentTo('/hook')).toHaveLength(2));
  await eventually(async () => expect(await api('GET', '/deliveries')).toEqual([]));
  const [first, second] = sentTo('/hook');
  expect(first?.body).toBe(second?.body);
  const notice = JSON.parse(second?.body ?? '') as RunNotice;
  expect(notice).toMatchObject({
    run,
    flow: 'told',
    status: 'ok',
    answer: { body: { body: { path: '/told' } } },
  });
  const { 'x-weft-timestamp': time, 'x-weft-signature': signature, ...headers } = second?.headers ?? {};
  expect(headers).toMatchObject({ 'idempotency-key': run, 'x-weft-run': run });
  const mac = createHmac('sha256', 'a-secret-of-hooks')
    .update(`${String(time)}.${second?.body}`)
    .digest('hex');
  expect(signature).toBe(`sha256=${mac}`);
});

describe('a run that fails', () => {
  test('starts the error flow with what went wrong, durable or not, and an error flow that fails starts none', async () => {
    outside.failing.add('/lasting').add('/plain').add('/failures');
    const before = sentTo('/failures').length;
    expect((await call('lasting', { n: 1 })).status).toBe(502);
    const { run } = (await (await call('plain', { n: 2 })).json()) as { run: string };
    const failures = await eventually(() => {
      const sent = sentTo('/failures')
        .slice(before)
        .map(({ body }) => JSON.parse(body) as RunFailure);
      expect(sent).toHaveLength(2);
      return sent;
    });
    expect(failures.find(({ flow }) => flow === 'plain')).toMatchObject({
      run,
      trigger: 'start',
      error: { node: 'ask' },
      input: { n: 2 },
    });
    expect(failures.find(({ flow }) => flow === 'lasting')).toMatchObject({ error: { node: 'ask' } });
    await eventually(async () => {
      const { runs } = await api<{ runs: { status: string; source: string }[] }>('GET', '/runs?flow=collect');
      expect(runs.map(({ status, source }) => [status, source])).toEqual([
        ['failed', 'failure'],
        ['failed', 'failure'],
      ]);
    });
    const metrics = await (await fetch(url('/metrics'))).text();
    expect(metrics).toContain('weft_error_flows_total{result="started"} 2');
    expect(metrics).toContain('weft_dead_letters 1');
    outside.failing.clear();
  });

  test('and outlives its request is a dead letter until it is tried again or dropped', async () => {
    const letters = async () => (await api<DeadLetterPage>('GET', '/dead-letters?flow=lasting')).deadLetters;
    await eventually(async () => expect(await letters()).toHaveLength(1));
    outside.failing.add('/lasting');
    await call('lasting', { n: 3 });
    const [newest, oldest] = await eventually(async () => {
      const found = await letters();
      expect(found).toHaveLength(2);
      return found;
    });
    expect(newest).toMatchObject({ flow: 'lasting', error: { node: 'ask' } });
    outside.failing.clear();
    const before = sentTo('/lasting').length;
    const { run } = await api<{ run: string }>('POST', `/runs/${newest?.run}/retry`, {});
    await eventually(async () => expect(await api('GET', `/runs/${run}`)).toMatchObject({ status: 'ok' }));
    expect(
      sentTo('/lasting')
        .slice(before)
        .map(({ body }) => body),
    ).toEqual(['{"n":3}']);
    const many = { runs: [oldest?.run ?? '', 'none'] };
    const retried = await api<Retried>('POST', '/dead-letters/retry', many);
    expect(retried.retried.map((one) => one.run)).toEqual([oldest?.run]);
    expect(retried.failed).toEqual([expect.objectContaining({ run: 'none', code: 'run_not_found' })]);
    expect(await letters()).toEqual([]);
    expect(await api('POST', '/dead-letters/drop', { flow: 'lasting' })).toEqual({ dropped: 0 });
  });
});

describe('a flow with `maxRuns`', () => {
  test('refuses a call beyond it with 429 and Retry-After', async () => {
    outside.held.add('/one');
    const first = call('one');
    await eventually(() => expect(sentTo('/one')).toHaveLength(1));
    const second = await call('one');
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await second.json()).toMatchObject({ err_code: 'too_many_runs' });
    outside.free();
    expect((await first).status).toBe(200);
    expect((await call('one')).status).toBe(200);
  });

  test('refuses a durable run beyond it where the flow sets that, and the key of the call stays free', async () => {
    outside.held.add('/once');
    expect((await call('once')).status).toBe(202);
    const again = { 'idempotency-key': 'once-more' };
    const second = await call('once', {}, again);
    expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await second.json()).toMatchObject({ err_code: 'too_many_runs' });
    outside.free();
    await eventually(() => expect(server.ctx.limits.all()).toEqual([]));
    expect((await call('once', {}, again)).status).toBe(202);
  });

  test('lets calls wait for their turn where the flow sets that', async () => {
    outside.held.add('/queue');
    const calls = [1, 2, 3].map((n) => call('queue', { n }));
    await eventually(() => expect(server.ctx.limits.all()).toMatchObject([{ used: 1, waiting: 2 }]));
    outside.free();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(server.ctx.limits.all()).toEqual([]);
  });

  test('begins durable runs in the order of arrival, for each key', async () => {
    outside.held.add('/turns');
    const accepted: AcceptedRun[] = [];
    for (const who of ['a', 'a', 'b', 'a']) {
      const n = accepted.length;
      accepted.push((await (await call('turns', { who, n })).json()) as AcceptedRun);
    }
    await eventually(() => expect(sentTo('/turns')).toHaveLength(2));
    outside.free();
    for (const { statusUrl } of accepted) expect(await ended(statusUrl)).toMatchObject({ status: 'ok' });
    const order = sentTo('/turns').map(({ body }) => JSON.parse(body) as { who: string; n: number });
    expect(order.filter(({ who }) => who === 'a').map(({ n }) => n)).toEqual([0, 1, 3]);
  });
});
