import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunPage, StartedRun } from '#shared/api.ts';
import { Usage } from '#shared/usage.ts';
import { sendChunks, startOpenAi } from '../../integrations/models/testing/openai-server.ts';
import { signIn, startBed, tempFolder } from '../../testing/platform-bed.ts';

/** The usage of models, from a real provider over HTTP to the answer of the API. */

const flow = (
  id: string,
  model: string,
  trigger: object = { operator: 'trigger.manual' },
  settings: object = {},
) =>
  JSON.stringify({
    format: 1,
    id,
    settings,
    nodes: {
      trigger,
      ask: { operator: 'model.chat', params: { model, prompt: 'Hi' } },
    },
    edges: [{ from: 'trigger.out', to: 'ask.in' }],
  });

async function startServer() {
  const provider = await startOpenAi((response) => sendChunks(response, [{ content: 'Hello' }], 'stop'));
  const folder = join(await tempFolder(), 'flows');
  await mkdir(folder);
  for (const [id, model] of [
    ['priced', 'local/priced'],
    ['free', 'local/free'],
  ] as const)
    await writeFile(join(folder, `${id}.json`), flow(id, model));
  for (const [id, auth, durable] of [
    ['keyed', 'api-key', false],
    ['open', 'none', false],
    ['lasting', 'api-key', true],
  ] as const) {
    const trigger = { operator: 'trigger.http', params: { path: `/${id}`, methods: ['GET', 'POST'], auth } };
    await writeFile(join(folder, `${id}.json`), flow(id, 'local/free', trigger, { durable }));
  }
  const bed = await startBed({
    flows: [folder],
    apiKeys: ['some-key-of-a-test'],
    outboundAllow: ['127.0.0.1'],
    providers: {
      local: {
        type: 'openai-compatible',
        baseUrl: provider.url,
        timeoutMs: 5000,
        models: [
          { name: 'priced', use: 'chat', prices: { input: 1_000_000, output: 2_000_000 } },
          { name: 'free', use: 'chat' },
        ],
      },
    },
  });
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const call = async (path: string, body?: unknown) => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${bed.url}${path}`, init);
    return { status: answer.status, data: ((await answer.json()) as { data: unknown }).data };
  };
  const ask = async (id: string) =>
    StartedRun.parse((await call(`/api/v1/flows/${id}/run`, { input: 'Hi' })).data);
  const usage = async (query: string) => Usage.parse((await call(`/api/v1/usage?${query}`)).data);
  return { bed, call, ask, usage };
}

const [tokens, once] = [
  { input: 7, output: 3 },
  { input: 7, output: 3, cached: 0 },
];

test('a run reports its usage, and the usage route sums it up by flow, model, key and day', async () => {
  const { bed, call, ask, usage } = await startServer();
  const { run } = await ask('priced');
  await ask('priced');
  await ask('free');
  const { runs } = RunPage.parse((await call('/api/v1/runs')).data);
  expect(runs.find((row) => row.run === run)).toMatchObject({ tokens, cost: 13 });
  expect(runs.find((row) => row.flow === 'free')?.cost).toBeUndefined();

  const twice = { input: 14, output: 6, cached: 0 };
  expect(await usage('')).toMatchObject({
    by: 'flow',
    rows: [
      { name: 'priced', calls: 2, tokens: twice, cost: 26, unpriced: 0 },
      { name: 'free', calls: 1, tokens: once, cost: 0, unpriced: 1 },
    ],
    total: { calls: 3, cost: 26, unpriced: 1 },
  });
  const chatted = await fetch(`${bed.url}/api/v2/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer some-key-of-a-test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'local/free', messages: 'Hi', stream: false }),
  });
  expect(chatted.status).toBe(200);
  expect((await usage('by=model')).rows.map(({ name, calls }) => [name, calls])).toEqual([
    ['local/free', 2],
    ['local/priced', 2],
  ]);
  const keys = (await usage('by=key')).rows;
  expect(keys.map(({ calls }) => calls)).toEqual([3, 1]);
  expect(keys[0]?.name).toBe('');
  expect(keys[1]?.name).not.toBe('');
  const today = new Date().toISOString().slice(0, 10);
  const days = (await usage(`by=day&since=${today}`)).rows;
  expect(days.reduce((sum, { calls }) => sum + calls, 0)).toBe(4);
  expect((await usage('until=2020-01-01')).total.calls).toBe(0);
});

test('usage by a key counts for the key, however the request came to the flow', async () => {
  const { bed, usage } = await startServer();
  const { key } = await bed.ctx.keys.create({ name: 'asks', scopes: ['triggers', 'runs:write'] });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ input: 'Hi' });
  const post = { method: 'POST', headers, body };
  const trigger = (path: string, init: RequestInit) => fetch(`${bed.url}/api/v1/awel/trigger${path}`, init);
  const answers = [
    await trigger('/keyed', { headers }),
    await trigger('/keyed', post),
    await trigger('/lasting', post),
    await fetch(`${bed.url}/api/v1/flows/free/run`, post),
    // The trigger needs no key, so a sent key is not recorded.
    await trigger('/open', post),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const keys = (await usage('by=key')).rows.map(({ name, calls }) => [name, calls]);
  expect(keys).toEqual([
    ['key asks', 4],
    ['', 1],
  ]);
});

test.each(['by=node', 'since=yesterday', 'until=2026-13-01', 'page=1'])('%s is refused', async (query) => {
  const { call } = await startServer();
  expect((await call(`/api/v1/usage?${query}`)).status).toBe(400);
});
