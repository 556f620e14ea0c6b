import { testTools } from '../engine/expr/testing/test-tools.ts';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile, type Plan, type RunRecord, startRecorded, type StartOptions } from '#engine';
import { replayRun } from '#engine/workbench';
import { createHost } from '../server/base/adapters/node-host.ts';
import { loadOperators } from '../server/base/authored/load-operators.ts';
import {
  chunk,
  sendChunks,
  sendError,
  startOpenAi,
} from '../server/integrations/models/testing/openai-server.ts';
import { testModels } from '../server/integrations/models/testing/test-models.ts';
import { ask, type Owner, signIn, triggerPrefix } from './support/client.ts';
import { type FlowJson, httpTrigger } from './support/flows.ts';
import { discard, root, startServer, tempFolder, type TestServer } from './support/server.ts';

/** Flows that ask models: a real server, OpenAI's own client in front of it, and a provider behind it, all over HTTP. */
let server: TestServer;
let owner: Owner;

beforeAll(async () => {
  const flows = tempFolder('flows');
  cpSync(join(root, 'flows/examples'), flows, { recursive: true });
  server = await startServer({ flows, env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' } });
  owner = await signIn(server);
});

afterAll(() => discard(server));

const client = (baseURL: string): OpenAI => new OpenAI({ baseURL, apiKey: server.key, maxRetries: 0 });
const hello = [{ role: 'user', content: 'count to 3' }] as const;
const demoText = 'This is the demo model: no real model was asked. 1 2 3';

describe('the example flow', () => {
  test('openai_chat_example streams to OpenAI’s own client', async () => {
    const openai = client(`${server.url}${triggerPrefix}/examples`);
    const stream = await openai.chat.completions.create({ model: 'any', messages: [...hello], stream: true });
    let text = '';
    const ends: unknown[] = [];
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? '';
      if (choices[0]?.finish_reason) ends.push(choices[0].finish_reason);
      if (usage) ends.push(usage);
    }
    expect(text).toBe(demoText);
    expect(ends).toEqual(['stop', { prompt_tokens: 8, completion_tokens: 13, total_tokens: 21 }]);
  });

  test.each([{ stream: false }, {}])('openai_chat_example answers %j whole', async (asked) => {
    const openai = client(`${server.url}${triggerPrefix}/examples`);
    const whole = await openai.chat.completions.create({ model: 'any', messages: [...hello], ...asked });
    expect(whole).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: demoText }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 8, completion_tokens: 13, total_tokens: 21 },
    });
  });

  test('openai_chat_example ends as OpenAI does, and refuses what is no chat', async () => {
    const url = `${server.url}${triggerPrefix}/examples/chat/completions`;
    const post = (body: object) =>
      ask(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { headers, text } = await post({ messages: 'Hi', stream: true });
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(text).toMatch(/\n\ndata: \[DONE\]\n\n$/);
    expect(await post({ messages: [{ role: 'nobody', content: '' }] })).toMatchObject({
      status: 422,
      body: { err_code: 'bad_input' },
    });
    expect(await post({})).toMatchObject({ status: 400, body: { err_code: 'invalid_request' } });
  });

  test.each([true, false])('chat_example answers a chat with stream: %s', async (stream) => {
    const openai = client(`${server.url}/api/v2`);
    const asked = { model: 'flow:chat_example', messages: [...hello] };
    if (!stream) {
      const { choices } = await openai.chat.completions.create({ ...asked, stream });
      expect(choices[0]?.message.content).toBe(demoText);
      return;
    }
    let text = '';
    for await (const { choices } of await openai.chat.completions.create({ ...asked, stream }))
      text += choices[0]?.delta.content ?? '';
    expect(text).toBe(demoText);
  });
});

/** A flow that asks a model of the provider `local` and answers with a stream, or with the node's whole answer. */
async function saveFlow(id: string, operator: string, node: object = {}): Promise<string> {
  const isStream = operator === 'model.stream';
  const more = isStream ? { response: { as: 'sse' } } : {};
  const flow: FlowJson = {
    format: 1,
    id,
    nodes: {
      trigger: httpTrigger(`/${id}`, more),
      ask: { operator, params: { model: 'local/m', prompt: 'Hi' }, ...node },
    },
    edges: [{ from: 'trigger.out', to: 'ask.in' }],
  };
  const saved = await owner.api('POST', '/flows', { flow });
  expect(saved.status, saved.text).toBe(201);
  return `${server.url}${triggerPrefix}/${id}`;
}

async function useProvider(url: string): Promise<void> {
  const body = { type: 'openai-compatible', baseUrl: url, models: [{ name: 'm' }] };
  expect((await owner.api('PUT', '/providers/local', body)).status).toBe(200);
}

describe('a provider that is full at first', () => {
  test.each(['model.chat', 'model.stream'])('is asked again by %s with `retry`', async (operator) => {
    let calls = 0;
    const provider = await startOpenAi((response) =>
      ++calls < 3 ? sendError(response, 429) : sendChunks(response, [{ content: 'At last.' }], 'stop'),
    );
    await useProvider(provider.url);
    const id = `retry_${operator.replace('.', '_')}`;
    const url = await saveFlow(id, operator, { retry: { attempts: 3, backoffMs: 1 } });
    expect((await ask(url)).text).toContain('At last.');
    expect(calls).toBe(3);
  });

  test('is the caller’s error where nothing tries again', async () => {
    const provider = await startOpenAi((response) => sendError(response, 429, { 'retry-after': '7' }));
    await useProvider(provider.url);
    const answer = await ask(await saveFlow('full', 'model.chat'));
    expect(answer).toMatchObject({ status: 429, body: { err_code: 'model_rate_limited' } });
    expect(answer.headers.get('retry-after')).toBe('7');
  });
});

test.each([
  ['talks on', true],
  ['is silent', false],
])('a client that leaves ends the call of a model that %s, down to its socket', async (_, talks) => {
  const provider = await startOpenAi(async (response) => {
    sendChunks(response, [{ content: 'first' }]);
    while (talks && !response.destroyed) {
      if (!response.write(chunk({ choices: [{ index: 0, delta: { content: 'more ' } }] })))
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
      await setTimeout(5);
    }
  });
  await useProvider(provider.url);
  const controller = new AbortController();
  const url = await saveFlow(talks ? 'left_talking' : 'left_silent', 'model.stream');
  const answer = await fetch(url, { signal: controller.signal });
  await answer.body?.getReader().read();
  controller.abort();
  await provider.broken;
});

test('what a call took is in the run', async () => {
  const provider = await startOpenAi((response) => sendChunks(response, [{ content: 'Hi' }], 'stop'));
  await useProvider(provider.url);
  const { headers } = await ask(await saveFlow('counted', 'model.stream'));
  const { events } = await owner.data<{ events: object[] }>(
    'GET',
    `/runs/${headers.get('x-weft-run')}/events`,
  );
  expect(events).toContainEqual(
    expect.objectContaining({
      kind: 'log',
      node: 'ask',
      data: { model: 'local/m', inputTokens: 7, outputTokens: 3 },
    }),
  );
});

const { registry } = await loadOperators({ builtIn: true });

function planOf(operator: string, params: Record<string, unknown>): Plan {
  const nodes = { trigger: { operator: 'trigger.manual' }, node: { operator, params } };
  const edges = [{ from: 'trigger.out', to: 'node.in' }];
  const flow = { format: 1 as const, id: 'example', nodes, edges };
  return [...compile(flow, 'v', registry, testTools).plans.values()][0] as Plan;
}

describe('the examples of the operators are what the demo provider really says', () => {
  const types = ['model.chat', 'model.route', 'model.stream', 'model.structured'];
  const cases = types.flatMap((type) => {
    const examples =
      registry.catalog.operators[type]?.examples.filter(({ error }) => error === undefined) ?? [];
    return examples.map((example) => [type, example.title, example] as const);
  });

  test.each(cases)('%s: %s', async (type, _, { params = {}, inputs = {}, outputs = {} }) => {
    const start = { id: 'r', request: {}, output: inputs['in'], vars: {} };
    const { answer } = await recorded(planOf(type, params), start);
    expect(answer).toEqual('out' in outputs ? outputs['out'] : outputs);
  });
});

test('a run that asked a model is played again without one', async () => {
  const plan = planOf('model.stream', { model: 'demo/chat' });
  const { answer, record } = await recorded(plan, { id: 'r', request: {}, output: 'Hi', vars: {} });
  expect(record.asks[0]?.what).toBe('models.chat demo/chat');
  const { divergence, difference, events } = await replayRun(plan, record, (fn) => void setImmediate(fn));
  expect({ divergence, difference }).toEqual({ divergence: undefined, difference: undefined });
  expect(answer).toHaveLength(14);
  expect(events).toHaveLength(record.events.length);
});

/** Runs a plan on the demo provider. */
async function recorded(plan: Plan, options: StartOptions): Promise<{ answer: unknown; record: RunRecord }> {
  const run = startRecorded(plan, options, createHost({ models: testModels() }));
  const answer = await new Promise<unknown>((resolve, reject) => {
    run.onAnswer((given) => {
      if (given.kind === 'value') resolve(whole(given.body));
      else reject(new Error(JSON.stringify(given)));
    });
  });
  await new Promise((resolve) => run.onEnd(resolve));
  return { answer, record: run.record() as RunRecord };
}

async function whole(body: unknown): Promise<unknown> {
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return body;
  const items: unknown[] = [];
  for await (const item of body as AsyncIterable<unknown>) items.push(item);
  return items;
}
