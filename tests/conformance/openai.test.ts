import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discard, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** The service as OpenAI's own client sees it. */
const KEY = 'key-of-the-openai-client';

let server: TestServer;
let upstream: Upstream;
let openai: OpenAI;

beforeAll(async () => {
  upstream = await startUpstream();
  const flows = tempFolder('flows');
  writeFileSync(join(flows, 'greet.json'), JSON.stringify(greet));
  const upstreamProvider = {
    type: 'openai-compatible',
    baseUrl: upstream.url,
    models: [{ name: 'endless' }],
  };
  server = await startServer({
    flows,
    env: {
      WEFT_API_KEYS: KEY,
      WEFT_EDITOR: 'off',
      WEFT_PROVIDERS: JSON.stringify({ upstream: upstreamProvider }),
      WEFT_OUTBOUND_ALLOW: '127.0.0.1',
    },
  });
  openai = new OpenAI({ baseURL: `${server.url}/api/v2`, apiKey: KEY, maxRetries: 0 });
});
afterAll(async () => {
  await discard(server);
  upstream.server.close();
});

const greet = {
  format: 1,
  id: 'greet',
  nodes: {
    chat: { operator: 'trigger.chat', params: { title: 'Greeter' } },
    say: { operator: 'core.map', params: { value: 'Hello, {{ input.text }}!' } },
  },
  edges: [{ from: 'chat.out', to: 'say.in' }],
};

const user = (content: string) => [{ role: 'user' as const, content }];

async function textOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  return text;
}

describe('a chat', () => {
  test('is answered with usage', async () => {
    const answer = await openai.chat.completions.create({ model: 'demo/echo', messages: user('Hello you') });
    expect(answer.choices[0]?.message).toEqual({ role: 'assistant', content: 'Hello you' });
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('is streamed', async () => {
    const stream = await openai.chat.completions.create({
      model: 'demo/echo',
      messages: user('Hello you'),
      stream: true,
    });
    expect(await textOf(stream)).toBe('Hello you');
  });

  test('is streamed with usage, as the helper of the client reads it', async () => {
    const stream = openai.chat.completions.stream({
      model: 'demo/echo',
      messages: [{ role: 'system', content: 'Be kind.' }, ...user('Hello you')],
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Hello you' });
    expect(final.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test('reaches a flow by its model', async () => {
    const answer = await openai.chat.completions.create({ model: 'flow:greet', messages: user('Ada') });
    expect(answer.choices[0]?.message.content).toBe('Hello, Ada!');
  });

  test('gives JSON of a schema', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const answer = await openai.chat.completions.create({
      model: 'demo/chat',
      messages: user('Where?'),
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toHaveProperty('city');
  });
});

describe('tools', () => {
  const tools = [
    {
      type: 'function' as const,
      function: {
        name: 'weather',
        description: 'Tells the weather.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ];
  const messages = user('```demo\ncall weather {"city": "Oslo"}\n---\nsay It is $tool.\n```');

  test('are called, and the answer goes on with what they gave', async () => {
    const first = await openai.chat.completions.create({ model: 'demo/chat', messages, tools });
    const called = first.choices[0]?.message as OpenAI.ChatCompletionMessage;
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(called.tool_calls).toMatchObject([
      { type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
    ]);
    const result = {
      role: 'tool' as const,
      tool_call_id: called.tool_calls?.[0]?.id ?? '',
      content: 'sunny',
    };
    const second = await openai.chat.completions.create({
      model: 'demo/chat',
      messages: [...messages, called, result],
      tools,
    });
    expect(second.choices[0]?.message.content).toBe('It is sunny.');
  });

  test('are called in a stream', async () => {
    const final = await openai.chat.completions
      .stream({ model: 'demo/chat', messages, tools })
      .finalChatCompletion();
    expect(final.choices[0]?.finish_reason).toBe('tool_calls');
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    });
  });
});

describe('errors', () => {
  test('are those of the client by their status, with code and text', async () => {
    const ask = (model: string, content: string) =>
      openai.chat.completions.create({ model, messages: user(content) });
    await expect(ask('nope', 'x')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    await expect(ask('flow:nope', 'x')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(ask('demo/chat', '```demo\nfail model_rate_limited\n```')).rejects.toBeInstanceOf(
      OpenAI.RateLimitError,
    );
    const stranger = new OpenAI({ baseURL: `${server.url}/api/v2`, apiKey: 'wrong', maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const two = openai.chat.completions.create({ model: 'demo/echo', messages: user('x'), n: 2 });
    await expect(two).rejects.toMatchObject({ status: 400, param: 'n' });
  });

  test('in a stream are thrown where they happen', async () => {
    const stream = await openai.chat.completions.create({
      model: 'demo/chat',
      messages: user('```demo\nsay half\nfail model_unavailable\n```'),
      stream: true,
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    })();
    await expect(reading).rejects.toMatchObject({ code: 'model_unavailable' });
    expect(text).toBe('half');
  });
});

test('models, and flows that one can chat with, are listed', async () => {
  const ids: string[] = [];
  for await (const model of openai.models.list()) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining(['demo/echo', 'flow:greet', 'upstream/endless']));
  expect(await openai.models.retrieve('demo/echo')).toMatchObject({ id: 'demo/echo', owned_by: 'demo' });
});

describe('to abort', () => {
  test('a stream closes the connection to the provider', async () => {
    const stream = await openai.chat.completions.create({
      model: 'upstream/endless',
      messages: user('Go'),
      stream: true,
    });
    for await (const chunk of stream) {
      expect(chunk.choices[0]?.delta.content).toBe('x');
      stream.controller.abort();
    }
    await upstream.closed();
  });

  test('a whole answer does so too', async () => {
    const leave = new AbortController();
    const arrived = upstream.asked();
    const answer = openai.chat.completions.create(
      { model: 'upstream/endless', messages: user('Go') },
      { signal: leave.signal },
    );
    await arrived;
    leave.abort();
    await expect(answer).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    await upstream.closed();
  });

  test('to stop the conversation does so too', async () => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'upstream/endless', messages: 'Go', conv_uid: 'c' });
    const answer = await fetch(`${server.url}/api/v2/chat/completions`, { method: 'POST', headers, body });
    const stop = await fetch(`${server.url}/api/v1/chat/c/stop`, {
      method: 'POST',
      headers: { authorization: headers.authorization },
    });
    expect(await stop.json()).toMatchObject({ data: { stopped: 1 } });
    expect(await answer.text()).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/);
    await upstream.closed();
  });
});

// --------------------------------------------------------------------------------------------------------- upstream

/** A provider that never comes to an end. */
interface Upstream {
  readonly server: Server;
  readonly url: string;
  /** The next request has come. */
  asked(): Promise<void>;
  /** The latest request's connection was closed. */
  closed(): Promise<unknown>;
}

async function startUpstream(): Promise<Upstream> {
  let closing: Promise<unknown> = Promise.resolve();
  let arrived = (): void => {};
  const upstreamServer = createServer((request, response) => {
    request.resume();
    closing = once(response, 'close');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = { id: 'u', object: 'chat.completion.chunk', created: 1, model: 'endless' };
    const choices = [{ index: 0, delta: { role: 'assistant', content: 'x' }, finish_reason: null }];
    const timer = setInterval(() => response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`), 10);
    response.once('close', () => clearInterval(timer));
    arrived();
  });
  upstreamServer.listen(0, '127.0.0.1');
  await once(upstreamServer, 'listening');
  const { port } = upstreamServer.address() as AddressInfo;
  return {
    server: upstreamServer,
    url: `http://127.0.0.1:${port}/v1`,
    asked: () => new Promise((resolve) => (arrived = resolve)),
    closed: () => closing,
  };
}
