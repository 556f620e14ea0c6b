import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type ModelCall, WeftError } from '#engine';
import { AppBody } from '#shared/app.ts';
import type { ChatItem } from '#shared/chat-item.ts';
import { signIn } from '../../testing/platform-bed.ts';
import { createMemoryConversations } from './memory-conversations.ts';
import { otherCaller, sayAll, startChatBed } from './testing/chat-bed.ts';
import { readBlocks } from './testing/read-blocks.ts';
import { chunksOf, contentOf, finishOf } from './testing/read-stream.ts';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';

const ask = (more: object = {}) => ({ model: 'test/model', messages: 'Hi', ...more });
const json = async (answer: Response) => (await answer.json()) as Record<string, never>;
const errorOf = async (answer: Response) => {
  const body = (await answer.json()) as { err_code: string; error: { code: string }; success: boolean };
  expect(body.success).toBe(false);
  expect(body.error.code).toBe(body.err_code);
  return [answer.status, body.err_code];
};

describe('a streamed answer', () => {
  test('is chunks with the fields that all clients read, and ends with [DONE]', async () => {
    const bed = await startChatBed();
    const answer = await bed.chat(ask({ conv_uid: 'c-1' }));
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
    expect(answer.headers.get('x-weft-run')).toBeTruthy();
    const text = await answer.text();
    const lines = text.split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => !line.startsWith('data: '))).toEqual([]);
    expect(text.startsWith('data: {"id":"c-1",')).toBe(true);
    const chunks = chunksOf(text);
    expect(chunks[0]).toEqual({
      id: 'c-1',
      object: 'chat.completion.chunk',
      created: expect.any(Number),
      model: 'test/model',
      choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }],
    });
    expect(contentOf(chunks)).toBe('Hello there');
    expect(chunks.at(-1)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }]);
  });

  test('repeats the whole text in each chunk, if the client wants that', async () => {
    const bed = await startChatBed();
    const chunks = chunksOf(await (await bed.chat(ask({ incremental: false }))).text());
    const contents = chunks.map((chunk) => chunk.choices[0]?.delta.content);
    expect(contents).toEqual(['Hello', 'Hello there', undefined]);
  });

  test('has the usage in a chunk of its own, if requested', async () => {
    const bed = await startChatBed();
    const chunks = chunksOf(await (await bed.chat(ask({ stream_options: { include_usage: true } }))).text());
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
  });

  test('reports that it was cut at its limit', async () => {
    const usage = { inputTokens: 0, outputTokens: 0 };
    const bed = await startChatBed({
      async *model() {
        yield { type: 'text', text: 'cut' };
        yield { type: 'finish', reason: 'length', usage, model: 'm' };
      },
    });
    expect(finishOf(chunksOf(await (await bed.chat(ask())).text()))).toBe('length');
  });

  test('reaches the client token by token', async () => {
    const gate = Promise.withResolvers<void>();
    const bed = await startChatBed({
      async *model() {
        yield { type: 'text', text: 'first' };
        await gate.promise;
        yield { type: 'text', text: 'second' };
      },
    });
    const reader = (await bed.chat(ask())).body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('"first"');
    gate.resolve();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('"second"');
    await reader.cancel();
  });
});

describe('an answer in one piece', () => {
  test('has the form of OpenAI, with usage', async () => {
    const bed = await startChatBed();
    const answer = await bed.chat(ask({ stream: false, conv_uid: 'c-1' }));
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await json(answer)).toEqual({
      id: 'c-1',
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'test/model',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, total_tokens: 5, completion_tokens: 2 },
    });
  });

  test('fails with a status, and never with part of an answer', async () => {
    const bed = await startChatBed({
      async *model() {
        yield { type: 'text', text: 'half' };
        throw new WeftError('model_rate_limited', 'Slow down.');
      },
    });
    expect(await errorOf(await bed.chat(ask({ stream: false })))).toEqual([429, 'model_rate_limited']);
  });

  test('has a text even if the model returned none', async () => {
    const bed = await startChatBed({ model: () => sayAll([]) });
    const body = await json(await bed.chat(ask({ stream: false })));
    expect(body['choices']?.[0]?.['message']?.['content']).toBe('');
  });
});

describe('errors before a stream', () => {
  test.each([
    ['no such app', { chat_mode: 'chat_app', chat_param: 'nope' }, 404, 'app_not_found'],
    ['no such app by its model', { model: 'app:nope' }, 404, 'app_not_found'],
    ['no such flow', { chat_mode: 'chat_flow', chat_param: 'nope' }, 404, 'flow_not_found'],
    ['no such flow by its model', { model: 'flow:nope' }, 404, 'flow_not_found'],
    ['no such model', { model: 'nope' }, 404, 'model_not_found'],
    ['no app named', { chat_mode: 'chat_app' }, 400, 'invalid_chat_param'],
    ['no flow named', { chat_mode: 'chat_flow', chat_param: null }, 400, 'invalid_chat_param'],
    ['an unknown mode', { chat_mode: 'chat_awel_flow' }, 400, 'invalid_chat_mode'],
    ['an empty mode', { chat_mode: '' }, 400, 'invalid_chat_mode'],
    ['no such space', { chat_mode: 'chat_knowledge', chat_param: 'x' }, 404, 'space_not_found'],
    ['no connection named', { chat_mode: 'chat_data' }, 400, 'invalid_chat_param'],
    ['a dashboard', { chat_mode: 'chat_dashboard' }, 501, 'chat_mode_not_offered'],
    ['a flow without chat', { chat_mode: 'chat_flow', chat_param: 'no_chat' }, 400, 'flow_not_chat'],
    ['no messages', { messages: [] }, 400, 'invalid_request'],
    ['a model of null', { model: null }, 400, 'invalid_request'],
  ])('%s', async (_, more, status, code) => {
    const bed = await startChatBed();
    for (const stream of [true, false])
      expect(await errorOf(await bed.chat(ask({ stream, ...more })))).toEqual([status, code]);
  });

  test('a bad mode is answered with the valid ones', async () => {
    const bed = await startChatBed();
    const body = await json(await bed.chat(ask({ chat_mode: 'x' })));
    expect(body['err_msg']).toContain('chat_normal, chat_app, chat_flow');
  });

  test('a flow that is named without its prefix is answered with its name', async () => {
    const bed = await startChatBed();
    const said = async (model: string) => (await json(await bed.chat(ask({ model }))))['err_msg'];
    expect(await said('greet')).toBe('There is no model greet; write flow:greet for the flow of this name.');
    expect(await said('no_chat')).not.toContain('flow:');
  });

  test('an immediate refusal of the model has its status, and the run failed', async () => {
    const bed = await startChatBed({
      model() {
        throw new WeftError('model_rate_limited', 'Slow down.');
      },
    });
    const answer = await bed.chat(ask());
    const run = answer.headers.get('x-weft-run') ?? '';
    expect(await errorOf(answer)).toEqual([429, 'model_rate_limited']);
    expect(await bed.ctx.runs.get(run)).toMatchObject({
      status: 'failed',
      source: 'chat',
      flow: 'chat:normal',
    });
  });

  test.each(['/api/v2/chat/completions', '/api/v2/models'])('%s asks for a key', async (path) => {
    const bed = await startChatBed();
    const method = path.endsWith('models') ? 'GET' : 'POST';
    const answer = await fetch(`${bed.url}${path}`, { method });
    expect(await errorOf(answer)).toEqual([401, 'unauthorized']);
  });

  test('no JSON, the wrong type and a body that is too large', async () => {
    const bed = await startChatBed({}, { bodyLimit: 10_000 });
    expect(await errorOf(await bed.chat('{'))).toEqual([400, 'invalid_json']);
    expect(await errorOf(await bed.chat('x', { headers: { 'content-type': 'text/plain' } }))).toEqual([
      415,
      'unsupported_media_type',
    ]);
    expect(await errorOf(await bed.chat(ask({ messages: 'x'.repeat(20_000) })))).toEqual([
      413,
      'body_too_large',
    ]);
  });
});

describe('errors in a stream', () => {
  test('are reported in a last chunk, after the text so far', async () => {
    const bed = await startChatBed({
      async *model() {
        yield { type: 'text', text: 'half' };
        throw new WeftError('model_unavailable', 'It broke off.');
      },
    });
    const answer = await bed.chat(ask());
    expect(answer.status).toBe(200);
    const chunks = chunksOf(await answer.text());
    expect(contentOf(chunks)).toBe('half');
    expect(chunks.at(-1)).toMatchObject({
      id: expect.any(String),
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      error: { code: 'model_unavailable', message: expect.stringContaining('It broke off.') },
    });
  });

  test('leave no block open', async () => {
    const bed = await startChatBed({
      async *flow() {
        yield { type: 'speaker', sender: 'A', receiver: 'User', model: null };
        yield { type: 'text', text: 'half' };
        throw new Error('a bug');
      },
    });
    const answer = await bed.chat(ask({ chat_mode: 'chat_flow', chat_param: 'said' }));
    const chunks = chunksOf(await answer.text());
    expect(readBlocks(contentOf(chunks))).toMatchObject([{ records: [{ sender: 'A', markdown: 'half' }] }]);
    expect(chunks.at(-1)?.error?.code).toBe('node_failed');
  });
});

describe('a chat with a flow', () => {
  const withFlow = (flow: string, more: object = {}) =>
    ask({ chat_mode: 'chat_flow', chat_param: flow, ...more });

  test('is a run of it with the message, and its value is one chunk', async () => {
    const bed = await startChatBed();
    const answer = await bed.chat(withFlow('greet', { messages: 'Ada' }));
    const run = answer.headers.get('x-weft-run') ?? '';
    const chunks = chunksOf(await answer.text());
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content)).toEqual(['Hello, Ada!', undefined]);
    expect(await bed.ctx.runs.get(run)).toMatchObject({ status: 'ok', source: 'chat', flow: 'greet' });
  });

  test('is answered by its draft if requested, for callers who may start runs', async () => {
    const bed = await startChatBed();
    const { text, revision } = await bed.ctx.flows.get('greet');
    const draft = text.replace('Hello, ', 'Good day, ');
    await bed.ctx.flows.save('greet', draft, { revision, actor: actorNamed('test'), mode: 'draft' });
    const path = '/api/v2/chat/completions';
    const body = JSON.stringify(withFlow('greet', { messages: 'Ada' }));
    const owner = { 'content-type': 'application/json', ...(await signIn(bed)) };
    const said = async (query: string): Promise<string> => {
      const answer = await fetch(`${bed.url}${path}${query}`, { method: 'POST', body, headers: owner });
      return contentOf(chunksOf(await answer.text()));
    };
    expect(await said('')).toBe('Hello, Ada!');
    expect(await said('?draft=true')).toBe('Good day, Ada!');
    expect(await said('?draft=false')).toBe('Hello, Ada!');
    const mayOnlyChat = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    expect(await errorOf(await bed.call(`${path}?draft=true`, mayOnlyChat))).toEqual([403, 'forbidden']);
    expect(await errorOf(await bed.call(`${path}?draft=maybe`, mayOnlyChat))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  test('is reached by a plain client of OpenAI too, by its model', async () => {
    const bed = await startChatBed();
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Ada' }] }];
    const body = await json(await bed.chat({ model: 'flow:greet', messages }));
    expect(body['choices']?.[0]?.['message']?.['content']).toBe('Hello, Ada!');
  });

  test('can be tried without one: a text is the message', async () => {
    const bed = await startChatBed();
    const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
    const tryWith = async (input: unknown) => {
      const body = JSON.stringify({ input, wait: true });
      return fetch(`${bed.url}/api/v1/flows/greet/run`, { method: 'POST', headers, body });
    };
    for (const input of ['Ada', { text: 'Ada' }]) {
      expect(await json(await tryWith(input))).toMatchObject({ data: { answer: { body: 'Hello, Ada!' } } });
    }
    expect(await errorOf(await tryWith(5))).toEqual([400, 'invalid_request']);
  });

  test('is an error if the flow answers with an error status', async () => {
    const bed = await startChatBed();
    expect(await errorOf(await bed.chat(withFlow('refuses')))).toEqual([502, 'answer_failed']);
  });

  test('shows agents as blocks, or as the plain answer', async () => {
    const plan = { name: 'goal', num: 1, status: 'complete', agent: 'B', messages: [] };
    const items = [
      { type: 'plan', plan },
      { type: 'speaker', sender: 'A', receiver: 'User', model: null },
      { type: 'text', text: 'All done.' },
    ];
    const bed = await startChatBed({
      async *flow() {
        yield* items;
      },
    });
    const contents = async (more: object) =>
      contentOf(chunksOf(await (await bed.chat(withFlow('said', more))).text()));
    const blocks = readBlocks(await contents({}));
    expect(blocks.map(({ tag }) => tag)).toEqual(['agent-plans', 'agent-messages']);
    expect(await contents({ enable_vis: false })).toBe('All done.');
    const plain = await bed.chat(ask({ model: 'flow:said', stream: true }));
    expect(contentOf(chunksOf(await plain.text()))).toBe('All done.');
    const whole = await json(await bed.chat(withFlow('said', { stream: false })));
    expect(readBlocks(whole['choices']?.[0]?.['message']?.['content'] ?? '')).toEqual(blocks);
  });
});

describe('a chat with an app', () => {
  const single = {
    app_name: 'Desk',
    app_describe: 'Answers.',
    team_mode: 'single_agent',
    language: 'en',
    details: [{ agent_name: 'Clerk', prompt_template: 'Be kind.', resources: [] }],
  } as const;

  test('is a run of its team, shown as blocks or as plain text', async () => {
    const bed = await startChatBed();
    const { app_code: code } = await bed.ctx.apps.create(AppBody.parse(single));
    const answer = await bed.chat(ask({ chat_mode: 'chat_app', chat_param: code }));
    const run = answer.headers.get('x-weft-run') ?? '';
    const blocks = readBlocks(contentOf(chunksOf(await answer.text())));
    expect(blocks).toMatchObject([
      { tag: 'agent-messages', records: [{ sender: 'Clerk', markdown: 'Hello there' }] },
      { tag: 'agent-plans', records: [{ status: 'complete', agent: 'Clerk' }] },
    ]);
    // A run ends after its answer.
    await expect.poll(() => bed.ctx.runs.get(run)).toMatchObject({ status: 'ok', flow: `app:${code}` });
    const plain = await json(
      await bed.chat({ model: `app:${code}`, messages: [{ role: 'user', content: 'Hi' }] }),
    );
    expect(plain['choices']?.[0]?.['message']?.['content']).toBe('Hello there');
    expect(plain['usage']?.['completion_tokens']).toBeGreaterThan(0);
  });

  test('is listed among the chat targets', async () => {
    const bed = await startChatBed();
    const { app_code: code } = await bed.ctx.apps.create(AppBody.parse(single));
    const one = await json(await bed.call(`/api/v2/models/app:${code}`));
    expect(one).toMatchObject({ id: `app:${code}`, owned_by: 'app', name: 'Desk' });
    expect(one['created']).toBeGreaterThan(1_700_000_000);
  });
});

describe('tools of the client', () => {
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
  const call = { id: 'call_1', name: 'look', arguments: { at: 'sky' } };
  const seen: ModelCall[] = [];
  const model = async function* (asked: ModelCall): AsyncGenerator<ChatItem> {
    seen.push(asked);
    yield { type: 'tool-call', call };
    yield { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 1, outputTokens: 1 }, model: 'm' };
  };
  const written = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } };

  test('are offered to the model, and its calls are returned', async () => {
    const bed = await startChatBed({ model });
    const messages = [{ role: 'user', content: 'Look up.' }];
    const streamed = chunksOf(await (await bed.chat({ ...ask({ tools, stream: true }), messages })).text());
    expect(streamed[0]?.choices[0]?.delta.tool_calls).toEqual([{ index: 0, ...written }]);
    expect(finishOf(streamed)).toBe('tool_calls');
    expect(seen.at(-1)?.tools).toMatchObject([{ name: 'look', parameters: { type: 'object' } }]);
    const whole = await json(await bed.chat({ ...ask({ tools }), messages }));
    expect(whole['choices']?.[0]).toMatchObject({
      message: { content: null, tool_calls: [written] },
      finish_reason: 'tool_calls',
    });
  });

  test('have their results sent to the model', async () => {
    const bed = await startChatBed({ model });
    const messages = [
      { role: 'user', content: 'Look up.' },
      { role: 'assistant', content: null, tool_calls: [written] },
      { role: 'tool', tool_call_id: 'call_1', content: 'blue' },
    ];
    await (await bed.chat({ ...ask({ tools }), messages })).text();
    expect(seen.at(-1)?.messages).toEqual([
      { role: 'user', content: 'Look up.' },
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 'call_1', content: 'blue' },
    ]);
  });
});

describe('a conversation', () => {
  const echo = async function* ({ messages }: ModelCall): AsyncGenerator<ChatItem> {
    const asked = messages.filter(({ role }) => role === 'user');
    yield { type: 'text', text: asked.map(({ content }) => content).join('|') };
  };
  const said = async (answer: Response) => contentOf(chunksOf(await answer.text()));

  test('remembers the last ten rounds if the client sends one message', async () => {
    const bed = await startChatBed({ model: echo });
    await said(await bed.chat(ask({ conv_uid: 'c', messages: 'one' })));
    const second = await said(await bed.chat(ask({ conv_uid: 'c', messages: 'two' })));
    expect(second).toBe('one|two');
    for (let i = 0; i < 10; i++) await said(await bed.chat(ask({ conv_uid: 'c', messages: `q${i}` })));
    const late = await said(await bed.chat(ask({ conv_uid: 'c', messages: 'last' })));
    expect(late).toBe('q0|q1|q2|q3|q4|q5|q6|q7|q8|q9|last');
  });

  test('is not remembered for a client that sends its own history, or for another caller', async () => {
    const bed = await startChatBed({ model: echo });
    await said(await bed.chat(ask({ conv_uid: 'c', messages: 'one' })));
    expect(await said(await bed.chat(ask({ conv_uid: 'c', messages: ['a', 'b'] })))).toBe('a|b');
    expect(
      await said(await bed.chat(ask({ conv_uid: 'c', messages: 'mine' }), { headers: otherCaller })),
    ).toBe('mine');
  });

  test('is listed, read and removed by its owner', async () => {
    const bed = await startChatBed();
    await (await bed.chat(ask({ conv_uid: 'c', messages: 'Ada?', user_name: 'ada' }))).text();
    const list = '/api/v1/chat/conversations';
    expect(await json(await bed.call(list))).toMatchObject({
      success: true,
      data: { conversations: [{ id: 'c', title: 'Ada?', user: 'ada', target: 'test/model' }] },
    });
    const one = await json(await bed.call(`${list}/c`));
    expect(one['data']?.['messages']).toMatchObject([
      { role: 'user', content: 'Ada?' },
      { role: 'assistant', content: 'Hello there' },
    ]);
    expect(await errorOf(await bed.call(`${list}/c`, { headers: otherCaller }))).toEqual([
      404,
      'conversation_not_found',
    ]);
    expect((await bed.call(`${list}/c`, { method: 'DELETE' })).status).toBe(200);
    expect(await errorOf(await bed.call(`${list}/c`))).toEqual([404, 'conversation_not_found']);
    expect((await bed.call(`${list}?limit=0`)).status).toBe(400);
  });

  test('of OpenAI’s clients, which send all of it each time, is not stored', async () => {
    const bed = await startChatBed();
    await (await bed.chat(ask({ messages: [{ role: 'user', content: 'x' }] }))).text();
    const page = await json(await bed.call('/api/v1/chat/conversations'));
    expect(page['data']?.['conversations']).toEqual([]);
  });
});

test.each([
  ['text', true],
  ['text', false],
  ['reasoning', true],
  ['reasoning', false],
] as const)('an answer without end, of %s, is ended at 10 MB (streamed: %s)', async (type, stream) => {
  const piece = 'x'.repeat(500_000);
  const bed = await startChatBed({
    async *model() {
      for (let i = 0; i < 40; i++) yield await Promise.resolve({ type, text: piece });
    },
  });
  const text = await (await bed.chat(ask({ stream }))).text();
  if (stream) expect(chunksOf(text).at(-1)?.error).toMatchObject({ code: 'value_too_large' });
  else expect(JSON.parse(text)).toMatchObject({ err_code: 'value_too_large' });
  await expect.poll(() => bed.ctx.runs.stats().inFlight).toBe(0);
});

describe('ending early', () => {
  function endless() {
    const stopped = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    async function* model(_call: unknown, signal: AbortSignal): AsyncGenerator<ChatItem> {
      try {
        for (;;) {
          begun.resolve();
          yield { type: 'text', text: 'x' };
          await pause(5, undefined, { signal });
        }
      } finally {
        stopped.resolve();
      }
    }
    return { model, begun: begun.promise, stopped: stopped.promise };
  }

  test('a client that leaves ends the run, down to the model', async () => {
    const { model, stopped } = endless();
    const bed = await startChatBed({ model });
    const leave = new AbortController();
    const answer = await bed.chat(ask(), { signal: leave.signal });
    const run = answer.headers.get('x-weft-run') ?? '';
    await answer.body?.getReader().read();
    leave.abort();
    await stopped;
    await expect.poll(async () => (await bed.ctx.runs.get(run))?.status).toBe('cancelled');
  });

  test('a client that leaves while it waits for the whole answer ends the run too', async () => {
    const { model, begun, stopped } = endless();
    const bed = await startChatBed({ model });
    const leave = new AbortController();
    const answer = bed.chat(ask({ stream: false }), { signal: leave.signal });
    await begun;
    leave.abort();
    await expect(answer).rejects.toThrow();
    await stopped;
  });

  test.each([true, false])(
    'a client that left before its run began ends it too (streamed: %s)',
    async (stream) => {
      const { model } = endless();
      const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const conversations = createMemoryConversations(Date.now);
      const bed = await startChatBed(
        { model },
        {},
        {
          chat: {
            conversations: {
              ...conversations,
              async recent(...args) {
                asked.resolve();
                await left.promise;
                return conversations.recent(...args);
              },
            },
          },
        },
      );
      const leave = new AbortController();
      const answer = bed.chat(ask({ conv_uid: 'c', stream }), { signal: leave.signal });
      await asked.promise;
      leave.abort();
      await expect(answer).rejects.toThrow();
      await pause(100);
      left.resolve();
      await expect.poll(() => bed.ctx.runs.stats()).toMatchObject({ started: 1, inFlight: 0 });
      expect(bed.ctx.runs.stats().cancelled).toBe(1);
    },
  );

  test('stopping a conversation ends the answer where it is, as if it were complete', async () => {
    const { model, stopped } = endless();
    const bed = await startChatBed({ model });
    const answer = await bed.chat(ask({ conv_uid: 'c' }));
    const stop = await bed.call('/api/v1/chat/c/stop', { method: 'POST' });
    expect(await json(stop)).toMatchObject({ success: true, data: { stopped: 1 } });
    const chunks = chunksOf(await answer.text());
    await stopped;
    expect(finishOf(chunks)).toBe('stop');
    expect(chunks.some((chunk) => chunk.error)).toBe(false);
    const kept = await json(await bed.call('/api/v1/chat/conversations/c'));
    expect(kept['data']?.['messages']).toMatchObject([{ content: 'Hi' }, { content: contentOf(chunks) }]);
    const again = await bed.call('/api/v1/chat/c/stop', { method: 'POST' });
    expect(await json(again)).toMatchObject({ data: { stopped: 0 } });
  });

  test('a caller cannot stop the conversation of another', async () => {
    const { model } = endless();
    const bed = await startChatBed({ model });
    const leave = new AbortController();
    await bed.chat(ask({ conv_uid: 'c' }), { signal: leave.signal });
    const stop = await bed.call('/api/v1/chat/c/stop', { method: 'POST', headers: otherCaller });
    expect(await json(stop)).toMatchObject({ data: { stopped: 0 } });
    leave.abort();
  });
});

test('chat targets are listed in the format of OpenAI’s models', async () => {
  const bed = await startChatBed();
  const answer = await bed.call('/api/v2/models');
  const list = (await answer.json()) as { data: { id: string }[] };
  expect(list).toMatchObject({ object: 'list', success: true });
  expect(list.data.map(({ id }) => id).sort()).toEqual([
    'flow:greet',
    'flow:refuses',
    'flow:said',
    'test/model',
  ]);
  const one = await json(await bed.call(`/api/v2/models/${encodeURIComponent('test/model')}`));
  expect(one).toEqual({ id: 'test/model', object: 'model', created: 0, owned_by: 'test' });
  expect(await json(await bed.call('/api/v2/models/flow:greet'))).toMatchObject({ name: 'Greeter' });
  expect(await errorOf(await bed.call('/api/v2/models/nope'))).toEqual([404, 'model_not_found']);
});

test('chat answers without the editor too', async () => {
  const bed = await startChatBed({}, { editor: 'off' });
  expect(contentOf(chunksOf(await (await bed.chat(ask())).text()))).toBe('Hello there');
  expect((await bed.call('/api/v2/models')).status).toBe(200);
});
