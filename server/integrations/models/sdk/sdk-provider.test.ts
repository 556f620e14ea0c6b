import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { asker } from '../../../base/outbound/testing/ask.ts';
import { chunk, sendChunks, sendError, startOpenAi } from '../testing/openai-server.ts';
import { answerOf, type TestProvider, testModels } from '../testing/test-models.ts';
import { PATIENCE_MS } from '../../../../tests/support/eventually.ts';

/** Providers over real HTTP: the requests to them, the results, and every way in which a call can fail. */

const usage = { inputTokens: 7, outputTokens: 3 };

const hi = { model: undefined, messages: [{ role: 'user', content: 'Hi' }] } as const;
const signal = (): AbortSignal => new AbortController().signal;

type Reply = Parameters<typeof startOpenAi>[0];

async function modelsFor(reply: Reply, more: TestProvider = {}) {
  const server = await startOpenAi(reply);
  return { server, models: testModels({ local: { baseUrl: server.url, ...more } }) };
}

/** The code and data of the error of a call. */
async function failureOf(work: Promise<unknown>) {
  return work.then(
    () => expect.unreachable('It did not fail.'),
    (error: unknown) => error as Error & { code: string; transient: boolean; data: unknown },
  );
}

describe('an answer', () => {
  test('consists of texts, reasoning and an end with its usage', async () => {
    const deltas = [
      { role: 'assistant', content: '' },
      { reasoning_content: 'Hm.' },
      { content: 'Hel' },
      { content: 'lo' },
    ];
    const { models } = await modelsFor((response) => sendChunks(response, deltas, 'stop'));
    expect(await answerOf(models, 'Hi')).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'finish', reason: 'stop', usage, model: 'local/m' },
    ]);
  });

  test('may call tools, whose arguments arrive in chunks', async () => {
    const begin = {
      tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'add', arguments: '{"a"' } }],
    };
    const rest = { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] };
    const { models } = await modelsFor((response) => sendChunks(response, [begin, rest], 'tool_calls'));
    expect(await answerOf(models, 'Add')).toEqual([
      { type: 'tool-call', call: { id: 't1', name: 'add', arguments: { a: 1 } } },
      { type: 'finish', reason: 'tool-calls', usage, model: 'local/m' },
    ]);
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['something_new', 'stop'],
  ])('that ends with %s reports %s', async (finish, reason) => {
    const { models } = await modelsFor((response) => sendChunks(response, [{ content: 'a' }], finish));
    expect((await answerOf(models, 'Hi')).at(-1)).toMatchObject({ type: 'finish', reason });
  });

  test('may be any number of answers over one connection', async () => {
    const ports = new Set<number | undefined>();
    const { models } = await modelsFor((response) => {
      ports.add(response.socket?.remotePort);
      sendChunks(response, [{ content: 'a' }], 'stop');
    });
    for (let i = 0; i < 3; i++) {
      await answerOf(models, 'Hi');
      await setTimeout(50);
    }
    expect(ports.size).toBe(1);
  });
});

test('a request contains messages, settings, tools, the schema and the key', async () => {
  const { server, models } = await modelsFor(
    (response) => sendChunks(response, [{ content: '{"a":1}' }], 'stop'),
    {
      key: { $secret: 'local' },
    },
  );
  const parameters = { type: 'object', properties: { a: { type: 'number' } } };
  await answerOf(models, {
    model: 'local/m',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Add' },
      { role: 'assistant', content: '', toolCalls: [{ id: 't1', name: 'add', arguments: { a: 1 } }] },
      { role: 'tool', content: '2', toolCallId: 't1' },
    ],
    temperature: 0.5,
    maxTokens: 9,
    topP: 0.9,
    stop: ['END'],
    tools: [{ name: 'add', description: 'Adds.', parameters }],
    toolChoice: 'required',
    schema: parameters,
  });
  const [{ path, headers, body } = expect.unreachable()] = server.asked;
  expect(path).toBe('/v1/chat/completions');
  expect(headers.authorization).toBe('Bearer value-of-local');
  expect(body).toMatchObject({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    max_tokens: 9,
    top_p: 0.9,
    stop: ['END'],
    tool_choice: 'required',
    tools: [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters } }],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: parameters, strict: true },
    },
  });
  expect(Object.keys(body).sort()).toEqual(
    'max_tokens messages model response_format stop stream stream_options temperature tool_choice tools top_p'.split(
      ' ',
    ),
  );
  expect(body['messages']).toMatchObject([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Add' },
    { role: 'assistant', tool_calls: [{ id: 't1', function: { name: 'add', arguments: '{"a":1}' } }] },
    { role: 'tool', content: '2', tool_call_id: 't1' },
  ]);
});

test('a request contains every setting of OpenAI’s interface under its name', async () => {
  const { server, models } = await modelsFor(
    (response) => sendChunks(response, [{ content: '{}' }], 'stop'),
    {
      models: [{ name: 'm', use: 'chat', input: ['text', 'image', 'file'] }],
    },
  );
  const parts = [
    { type: 'text', text: 'See' },
    { type: 'image', url: 'data:image/png;base64,AAAA', detail: 'low' },
    { type: 'image', url: 'https://example.com/a.png' },
    { type: 'file', data: 'data:application/pdf;base64,BBBB', filename: 'a.pdf' },
  ] as const;
  await answerOf(models, {
    messages: [
      { role: 'system', content: 'S', name: 'boss' },
      { role: 'user', content: 'See', parts, name: 'ada' },
    ],
    json: true,
    seed: 7,
    presencePenalty: 0.5,
    frequencyPenalty: -0.5,
    logitBias: { 50256: -100 },
    reasoningEffort: 'low',
    verbosity: 'high',
    parallelToolCalls: false,
    tools: [{ name: 'f', description: '', parameters: { type: 'object' }, strict: true }],
  });
  expect(server.asked[0]?.body).toMatchObject({
    response_format: { type: 'json_object' },
    seed: 7,
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    logit_bias: { 50256: -100 },
    reasoning_effort: 'low',
    verbosity: 'high',
    parallel_tool_calls: false,
    tools: [{ function: { name: 'f', strict: true } }],
    messages: [
      { role: 'system', content: 'S', name: 'boss' },
      {
        role: 'user',
        name: 'ada',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
        ],
      },
    ],
  });
});

test.each([
  ['gpt-4o', undefined, 'max_tokens'],
  ['o4-mini', undefined, 'max_completion_tokens'],
  ['openai/gpt-5-mini', undefined, 'max_completion_tokens'],
  ['ft:o3-mini:us:1', undefined, 'max_completion_tokens'],
  ['my-deployment', true, 'max_completion_tokens'],
  ['gpt-5-of-my-own', false, 'max_tokens'],
])('the limit of %s (reasoning: %s) is its %s', async (name, reasoning, field) => {
  const { server, models } = await modelsFor((response) => sendChunks(response, [{ content: 'a' }], 'stop'), {
    models: [{ name, use: 'chat', ...(reasoning !== undefined && { reasoning }) }],
  });
  await answerOf(models, { ...hi, maxTokens: 5 });
  const limits = Object.keys(server.asked[0]?.body ?? {}).filter((key) => key.startsWith('max_'));
  expect(limits).toEqual([field]);
});

describe('content that a model does not accept, or a setting that a provider does not support,', () => {
  const image = { type: 'image', url: 'https://example.com/a.png' } as const;
  const message = { role: 'user', content: '', parts: [image] } as const;

  test('is a coded error before anything is sent', async () => {
    const { server, models } = await modelsFor((response) => sendError(response, 500));
    const failure = await failureOf(answerOf(models, { messages: [message] }));
    expect(failure).toMatchObject({ code: 'input_unsupported', data: { param: 'messages' } });
    expect(failure.message).toContain('local/m does not accept images');
    expect(await failureOf(answerOf(models, { model: 'demo/echo', messages: [message] }))).toMatchObject({
      code: 'input_unsupported',
    });
    expect(server.asked).toHaveLength(0);
  });

  test('is replaced where its type has an alternative, and settings that are left out are reported', async () => {
    const { server, models } = await modelsFor((response) => sendError(response, 529), { type: 'anthropic' });
    const settings = { json: true, seed: 7, logitBias: { 1: 1 }, parallelToolCalls: false };
    expect(await models.ignored({ ...settings, model: 'local/m' })).toEqual(['json', 'seed', 'logitBias']);
    expect(await failureOf(answerOf(models, { ...hi, ...settings }))).toMatchObject({
      code: 'setting_unsupported',
      data: { param: 'response_format' },
    });
    expect(server.asked).toHaveLength(0);
    await failureOf(answerOf(models, { messages: [message], seed: 7 }));
    expect(server.asked[0]?.body['messages']).toEqual([
      { role: 'user', content: [{ type: 'image', source: { type: 'url', url: image.url } }] },
    ]);
  });
});

describe('a request that the provider refuses', () => {
  const refusing =
    (error: object): Reply =>
    (response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error }));
    };

  test.each([
    [
      {
        message: 'Too long.',
        type: 'invalid_request_error',
        param: 'messages',
        code: 'context_length_exceeded',
      },
      { code: 'context_length_exceeded', param: 'messages' },
    ],
    [{ message: 'prompt is too long: 9 tokens > 5 maximum' }, { code: 'context_length_exceeded' }],
    [{ message: 'No such voice.', code: 'Bad Code!' }, {}],
  ])('%j keeps its message, and is not retried', async (error, data) => {
    const { models } = await modelsFor(refusing(error));
    const failure = await failureOf(answerOf(models, 'Hi'));
    expect(failure).toMatchObject({ code: 'model_bad_request', transient: false });
    expect(failure.data).toEqual({ status: 400, ...data });
    expect(failure.message).toContain(error.message);
  });
});

describe('a refusal', () => {
  test.each([
    [400, 'model_bad_request', false],
    [401, 'model_refused', false],
    [403, 'model_refused', false],
    [404, 'model_not_found', false],
    [413, 'model_bad_request', false],
    [422, 'model_bad_request', false],
    [301, 'model_refused', false],
    [429, 'model_rate_limited', true],
    [500, 'model_unavailable', true],
    [503, 'model_unavailable', true],
    [504, 'model_timeout', true],
  ])('with %i is %s', async (status, code, transient) => {
    const { server, models } = await modelsFor((response) => sendError(response, status));
    // An error in the caller's request is a 400 for the caller too.
    const reported = code === 'model_bad_request' ? 400 : status;
    expect(await failureOf(answerOf(models, 'Hi'))).toMatchObject({
      code,
      transient,
      data: { status: reported },
    });
    expect(server.asked, 'is never retried by the client').toHaveLength(1);
  });

  test('for too many requests contains the time for a retry', async () => {
    const { models } = await modelsFor((response) => sendError(response, 429, { 'retry-after': '17' }));
    const failure = await failureOf(answerOf(models, 'Hi'));
    expect(failure).toMatchObject({ code: 'model_rate_limited', data: { status: 429, retryAfter: '17' } });
    expect(failure.message).toContain('No: 429');
    expect(failure.message).toContain('Retry-After: 17');
  });

  test('without a reason says that it has none', async () => {
    const { models } = await modelsFor((response) => void response.writeHead(500).end('<html>down</html>'));
    const { message } = await failureOf(answerOf(models, 'Hi'));
    expect(message).toMatch(/answered with 500: \S/);
  });

  test('of a key that was copied with a line break names the secret, and sends nothing', async () => {
    const { server, models } = await modelsFor((response) => sendError(response, 500), {
      key: { $secret: 'copied' },
    });
    const failure = await failureOf(answerOf(models, 'Hi'));
    expect(failure).toMatchObject({ code: 'model_refused', transient: false });
    expect(failure.message).toContain('The secret copied of the provider local is not an API key');
    expect(failure.message).not.toContain('value-of');
    expect(server.asked).toHaveLength(0);
  });

  test('of an address that flows may not reach keeps its own code', async () => {
    const models = testModels({ local: { baseUrl: 'http://127.0.0.2:1/v1' } });
    const failure = await failureOf(answerOf(models, 'Hi'));
    expect(failure).toMatchObject({ code: 'outbound_refused', transient: false });
    expect(failure.message).toContain('WEFT_OUTBOUND_ALLOW');
    // Callers of chats see the message; administrators find the address in the run.
    expect(failure.message).not.toContain('127.0.0.2');
    expect(failure.data).toMatchObject({
      reason: expect.stringContaining('WEFT_OUTBOUND_ALLOW=127.0.0.2:1'),
    });
  });
});

describe('a fault', () => {
  test('where nothing listens is reported as temporary', async () => {
    const models = testModels({ local: { baseUrl: 'http://127.0.0.1:1/v1' } });
    const failure = await failureOf(answerOf(models, 'Hi'));
    expect(failure).toMatchObject({
      code: 'model_unavailable',
      transient: true,
      data: { reason: expect.stringContaining('127.0.0.1:1') },
    });
    expect(failure.message).not.toContain('127.0.0.1');
  });

  test('in the middle of an answer ends it with a code, after the received items', async () => {
    const { models } = await modelsFor(async (response) => {
      sendChunks(response, [{ content: 'half' }]);
      await setTimeout(20);
      response.destroy();
    });
    const items = models.chat(hi, asker, signal());
    const iterator = items[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toEqual({ type: 'text', text: 'half' });
    expect(await failureOf(iterator.next())).toMatchObject({ code: 'model_unavailable', transient: true });
  });

  test.each<[string, Reply, string]>([
    [
      'an answer without its final event',
      (response) => {
        sendChunks(response, [{ content: 'half' }]);
        response.end();
      },
      'model_bad_answer',
    ],
    [
      'a chunk that is no JSON',
      (response) => {
        sendChunks(response, [{ content: 'a' }]);
        response.end('data: {"choices": [\n\n');
      },
      'model_bad_answer',
    ],
    [
      'a chunk of another format',
      (response) => {
        sendChunks(response, [{ content: 'a' }]);
        response.end('data: {"choices": 5}\n\n');
      },
      'model_bad_answer',
    ],
    [
      'an error within the stream',
      (response) => {
        sendChunks(response, [{ content: 'a' }]);
        response.end('data: {"error": {"message": "The engine is on fire."}}\n\n');
      },
      'model_unavailable',
    ],
    [
      'a page instead of an answer',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>');
      },
      'model_bad_answer',
    ],
    ['an empty answer', (response) => void response.writeHead(200).end(), 'model_bad_answer'],
    ['an empty status', (response) => void response.writeHead(204).end(), 'model_bad_answer'],
  ])('is reported: %s', async (_, reply, code) => {
    const { models } = await modelsFor(reply);
    expect(await failureOf(answerOf(models, 'Hi'))).toMatchObject({ code, transient: true });
  });

  test('of silence ends the call, before the first chunk and between two', async () => {
    for (const deltas of [undefined, [{ content: 'a' }]]) {
      const { server, models } = await modelsFor(
        (response) => {
          if (deltas) sendChunks(response, deltas);
        },
        { timeoutMs: 1000 },
      );
      const failure = await failureOf(answerOf(models, 'Hi'));
      expect(failure).toMatchObject({ code: 'model_timeout', transient: true });
      expect(failure.message).toContain('timeoutMs');
      await server.broken;
    }
  });

  test('does not count the time of a slow reader', async () => {
    const deltas = [{ content: 'a' }, { content: 'b' }];
    const { models } = await modelsFor((response) => sendChunks(response, deltas, 'stop'), {
      timeoutMs: 1000,
    });
    let text = '';
    for await (const item of models.chat(hi, asker, signal())) {
      if (item.type === 'text') text += item.text;
      if (text === 'a') await setTimeout(1100);
    }
    expect(text).toBe('ab');
  });
});

describe('ending early', () => {
  const endless: Reply = async (response) => {
    sendChunks(response, []);
    for (;;) {
      if (response.destroyed) return;
      if (!response.write(chunk({ choices: [{ index: 0, delta: { content: 'more ' } }] })))
        await Promise.race([once(response, 'drain'), once(response, 'close')]);
      await setTimeout(1);
    }
  };

  test('by leaving closes the socket', async () => {
    const { server, models } = await modelsFor(endless);
    for await (const _ of models.chat(hi, asker, signal())) break;
    await server.broken;
  });

  test('by the signal closes the socket and throws its reason, even while the provider is silent', async () => {
    for (const reply of [endless, () => {}]) {
      const { server, models } = await modelsFor(reply);
      const controller = new AbortController();
      const answer = failureOf(answerOf(models, 'Hi', controller.signal));
      await expect.poll(() => server.asked.length, { timeout: PATIENCE_MS }).toBe(1);
      const reason = new Error('stop');
      controller.abort(reason);
      expect(await answer).toBe(reason);
      await server.broken;
    }
  });

  test('before it begins sends nothing', async () => {
    const { server, models } = await modelsFor(endless);
    const reason = new Error('stop');
    expect(await failureOf(answerOf(models, 'Hi', AbortSignal.abort(reason)))).toBe(reason);
    expect(server.asked).toHaveLength(0);
  });
});

test('texts are embedded in order, and in as many requests as the provider needs', async () => {
  const { models, server } = await modelsFor(
    (response, { body }) => {
      const texts = body['input'] as string[];
      const data = texts.map((text, index) => ({ index, embedding: [text.length, 1] }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data, usage: { prompt_tokens: texts.length } }));
    },
    { models: [{ name: 'e', use: 'embedding' }] },
  );
  const texts = Array.from({ length: 3000 }, (_, i) => 'x'.repeat(i % 7));
  const { vectors, usage: taken } = await models.embed({ model: 'local/e', texts }, asker, signal());
  expect(vectors).toEqual(texts.map((text) => [text.length, 1]));
  expect(taken).toEqual({ inputTokens: 3000, outputTokens: 0 });
  expect(server.asked.length).toBeGreaterThan(1);
});

describe('an answer that is no stream', () => {
  const whole = {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          reasoning_content: 'Hm.',
          content: 'Look.',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
  };
  const items = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Look.' },
    { type: 'tool-call', call: { id: 'c', name: 'f', arguments: { a: 1 } } },
    {
      type: 'finish',
      reason: 'tool-calls',
      usage: { inputTokens: 7, outputTokens: 3 },
      model: 'local/m',
    },
  ];
  const sendWhole: Reply = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    // The first chunk is blank: servers keep slow connections alive with it.
    response.write(' ');
    response.end(JSON.stringify(whole));
  };

  test('is read where a stream was requested, with one request', async () => {
    const { server, models } = await modelsFor(sendWhole);
    expect(await answerOf(models, hi)).toEqual(items);
    expect(server.asked.map(({ body }) => body['stream'])).toEqual([true]);
  });

  test('is requested where the provider does not stream', async () => {
    const { server, models } = await modelsFor(sendWhole, { stream: false });
    expect(await answerOf(models, hi)).toEqual(items);
    expect(server.asked[0]?.body).not.toHaveProperty('stream_options');
    expect(server.asked[0]?.body['stream']).not.toBe(true);
  });

  test('is a coded error if no model has sent it', async () => {
    const { models } = await modelsFor((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"hello":"world"}');
    });
    expect(await failureOf(answerOf(models, hi))).toMatchObject({ code: 'model_bad_answer' });
  });

  test('is distinguished from events that only claim to be JSON', async () => {
    const { models } = await modelsFor((response) => {
      const setType = response.writeHead.bind(response);
      response.writeHead = ((status: number) =>
        setType(status, { 'content-type': 'application/json' })) as typeof response.writeHead;
      sendChunks(response, [{ content: 'a' }], 'stop');
    });
    expect(await answerOf(models, hi)).toMatchObject([{ type: 'text', text: 'a' }, { type: 'finish' }]);
  });
});

test('usage of streams is not requested where the provider refuses that', async () => {
  const { server, models } = await modelsFor((response) => sendChunks(response, [{ content: 'a' }], 'stop'), {
    streamUsage: false,
  });
  await answerOf(models, hi);
  expect(server.asked[0]?.body).toMatchObject({ stream: true });
  expect(server.asked[0]?.body).not.toHaveProperty('stream_options');
});

test('a delay that Google names is passed on', async () => {
  const { models } = await modelsFor(
    (response) => {
      const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '36.5s' }];
      response.writeHead(429, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { code: 429, message: 'No', status: 'RESOURCE_EXHAUSTED', details } }),
      );
    },
    { type: 'google' },
  );
  expect(await failureOf(answerOf(models, hi))).toMatchObject({
    code: 'model_rate_limited',
    data: { retryAfter: '37' },
  });
});
