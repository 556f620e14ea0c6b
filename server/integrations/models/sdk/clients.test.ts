import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ToolCall } from '#shared/chat-item.ts';
import { asker } from '../../../base/outbound/testing/ask.ts';
import { startOpenAi, type Asked } from '../testing/openai-server.ts';
import { answerOf, testModels } from '../testing/test-models.ts';

/** The other kinds of provider over real HTTP: the requests to them, and their answers. */

const sse = (...events: object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

async function modelsOf(type: 'anthropic' | 'google' | 'ollama', answer: (asked: Asked) => [string, string]) {
  const server = await startOpenAi((response, asked) => {
    const [contentType, text] = answer(asked);
    response.writeHead(200, { 'content-type': contentType }).end(text);
  });
  const models = [
    { name: 'm', use: 'chat' as const },
    { name: 'e', use: 'embedding' as const },
  ];
  return { server, models: testModels({ p: { type, baseUrl: server.url, key: { $secret: 'k' }, models } }) };
}

const call = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ] as const,
  maxTokens: 5,
};
const embedding = { model: 'p/e', texts: ['a', 'b'] };
const never = new AbortController().signal;

describe('anthropic', () => {
  const events = [
    {
      type: 'message_start',
      message: {
        id: 'm1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        usage: { input_tokens: 4, output_tokens: 0 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];

  test('is called in its own format', async () => {
    const { server, models } = await modelsOf('anthropic', () => ['text/event-stream', sse(...events)]);
    expect(await answerOf(models, call)).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 4, outputTokens: 2 }, model: 'p/m' },
    ]);
    expect(server.asked).toMatchObject([
      {
        path: '/v1/messages',
        headers: { 'x-api-key': 'value-of-k' },
        body: {
          model: 'm',
          max_tokens: 5,
          system: [{ text: 'Be brief.' }],
          messages: [{ role: 'user' }],
          stream: true,
        },
      },
    ]);
  });

  test('refuses an unsupported kind of file before anything is sent', async () => {
    const { server, models } = await modelsOf('anthropic', () => ['text/event-stream', sse(...events)]);
    const file = { type: 'file', data: 'data:audio/wav;base64,AAAA', filename: 'a.wav' } as const;
    await expect(
      answerOf(models, { messages: [{ role: 'user', content: '', parts: [file] }] }),
    ).rejects.toMatchObject({ code: 'input_unsupported', data: { param: 'messages' } });
    expect(server.asked).toHaveLength(0);
  });

  test('that breaks off is reported', async () => {
    const { models } = await modelsOf('anthropic', () => ['text/event-stream', sse(...events.slice(0, 3))]);
    await expect(answerOf(models, call)).rejects.toMatchObject({ transient: true });
  });

  test('has no embeddings, and reports that', async () => {
    const { models } = await modelsOf('anthropic', () => ['application/json', '{}']);
    await expect(models.embed(embedding, asker, never)).rejects.toMatchObject({ code: 'model_refused' });
  });
});

describe('google', () => {
  const part = { content: { role: 'model', parts: [{ text: 'Hello' }] } };
  const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 };

  test('is called in its own format', async () => {
    const { server, models } = await modelsOf('google', () => [
      'text/event-stream',
      sse({ candidates: [part] }, { candidates: [{ finishReason: 'STOP' }], usageMetadata }),
    ]);
    expect(await answerOf(models, call)).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 4, outputTokens: 2 }, model: 'p/m' },
    ]);
    expect(server.asked).toMatchObject([
      {
        path: '/v1/models/m:streamGenerateContent?alt=sse',
        headers: { 'x-goog-api-key': 'value-of-k' },
        body: {
          systemInstruction: { parts: [{ text: 'Be brief.' }] },
          generationConfig: { maxOutputTokens: 5 },
        },
      },
    ]);
  });

  test('that breaks off is reported', async () => {
    const { models } = await modelsOf('google', () => ['text/event-stream', sse({ candidates: [part] })]);
    await expect(answerOf(models, call)).rejects.toMatchObject({ transient: true });
  });

  test('embeds', async () => {
    const embeddings = JSON.stringify({ embeddings: [{ values: [1, 2] }, { values: [3, 4] }] });
    const { models } = await modelsOf('google', () => ['application/json', embeddings]);
    expect((await models.embed(embedding, asker, never)).vectors).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

test('ollama is called like OpenAI', async () => {
  const chunk = {
    id: 'c',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }],
  };
  const { server, models } = await modelsOf('ollama', () => [
    'text/event-stream',
    `${sse(chunk)}data: [DONE]\n\n`,
  ]);
  expect(await answerOf(models, call)).toMatchObject([{ text: 'Hello' }, { type: 'finish' }]);
  expect(server.asked[0]?.path).toBe('/v1/chat/completions');
});

test.each(['anthropic', 'google', 'ollama'] as const)(
  '%s reads no key or address from the environment',
  async (type) => {
    const names = [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_BASE_URL',
      'GOOGLE_GENERATIVE_AI_API_KEY',
      'OPENAI_API_KEY',
    ];
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of names) vi.stubEnv(name, 'http://from.environment.example');
    const server = await startOpenAi((response) => void response.writeHead(500).end());
    const models = testModels({ p: { type, baseUrl: server.url } });
    await expect(answerOf(models, call)).rejects.toMatchObject({ code: 'model_unavailable' });
    expect(JSON.stringify(server.asked)).not.toContain('from.environment');
  },
);

describe('signed thoughts', () => {
  const tool = { name: 'look', description: '', parameters: { type: 'object' } };
  const question = { role: 'user', content: 'Where?' } as const;

  /** Calls the model, and calls it again with the result of the tool, like a client that keeps only the call. */
  async function askTwice(
    type: 'anthropic' | 'google' | 'ollama',
    first: string,
    change: (call: ToolCall) => ToolCall = (call) => call,
  ): Promise<Asked['body']> {
    const { server, models } = await modelsOf(type, () => ['text/event-stream', first]);
    const asked = { messages: [question], tools: [tool], reasoningEffort: 'low', maxTokens: 5 } as const;
    const items = await answerOf(models, asked);
    const [received] = items.flatMap((item) => (item.type === 'tool-call' ? [item.call] : []));
    const call = change(JSON.parse(JSON.stringify(received)) as ToolCall);
    await answerOf(models, {
      ...asked,
      messages: [
        question,
        { role: 'assistant', content: 'Let me look.', toolCalls: [call] },
        { role: 'tool', content: 'Here', toolCallId: call.id },
      ],
    });
    return server.asked[1]?.body as Asked['body'];
  }

  const block = (index: number, content_block: object, ...deltas: object[]): object[] => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  const claude = (id: string): string =>
    sse(
      {
        type: 'message_start',
        message: {
          id: 'm1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          usage: { input_tokens: 4, output_tokens: 0 },
        },
      },
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'Hm' },
        { type: 'thinking_delta', thinking: 'm.' },
        { type: 'signature_delta', signature: 'signed' },
      ),
      ...block(1, { type: 'redacted_thinking', data: 'secret' }),
      ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'Let me look.' }),
      ...block(
        3,
        { type: 'tool_use', id, name: 'look', input: {} },
        { type: 'input_json_delta', partial_json: '{"b":1,"a":2}' },
      ),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    );

  test('of Claude are returned before the call that they led to', async () => {
    const { thinking, messages } = await askTwice('anthropic', claude('toolu_1'));
    expect(thinking).toMatchObject({ type: 'enabled' });
    expect((messages as { content: unknown }[])[1]?.content).toMatchObject([
      { type: 'thinking', thinking: 'Hmm.', signature: 'signed' },
      { type: 'redacted_thinking', data: 'secret' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', id: 'toolu_1', input: { a: 2, b: 1 } },
    ]);
  });

  test('of Claude that are lost end its thinking, and are not replaced with those of another call', async () => {
    const other = await askTwice('anthropic', claude('toolu_2'), (call) => ({
      ...call,
      arguments: { c: 3 },
    }));
    expect(other).not.toHaveProperty('thinking');
    expect((other['messages'] as { content: unknown }[])[1]?.content).toMatchObject([
      { type: 'text' },
      { type: 'tool_use', id: 'toolu_2' },
    ]);
  });

  test('of Gemini are returned with the call', async () => {
    const parts = [
      { text: 'Hmm.', thought: true },
      { functionCall: { name: 'look', args: { at: 'sky' } }, thoughtSignature: 'signed' },
    ];
    const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 };
    const gemini = sse({
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata,
    });
    const { contents } = (await askTwice('google', gemini)) as unknown as { contents: { parts: object[] }[] };
    expect(contents[1]?.parts).toMatchObject([
      { text: 'Let me look.' },
      { functionCall: { name: 'look', args: { at: 'sky' } }, thoughtSignature: 'signed' },
    ]);
  });

  test('of Gemini behind OpenAI’s protocol are returned with the call', async () => {
    const extra_content = { google: { thought_signature: 'signed' } };
    const call = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'look', arguments: '{}' },
      extra_content,
    };
    const base = { id: 'c', created: 1, model: 'm' };
    const chunks = [{ tool_calls: [call] }, {}].map((delta, at) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason: at === 0 ? null : 'tool_calls' }],
    }));
    const { messages } = await askTwice('ollama', `${sse(...chunks)}data: [DONE]\n\n`);
    expect((messages as object[])[1]).toMatchObject({ tool_calls: [{ id: 'call_1', extra_content }] });
  });
});
