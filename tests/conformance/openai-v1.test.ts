import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chunksOf, contentOf } from '../../server/chat/service/testing/read-stream.ts';
import { type OpenAiWorld, startOpenAiWorld } from './support/openai-world.ts';

/** OpenAI's own client at the base `/v1`, with a provider that shows what reaches it. */
let world: OpenAiWorld;
let openai: OpenAI;

const streamed = {
  format: 1,
  id: 'streamed',
  nodes: {
    chat: { operator: 'trigger.chat' },
    ask: { operator: 'model.stream', params: { model: 'real/plain' } },
    write: { operator: 'model.openai-stream' },
  },
  edges: [
    { from: 'chat.out', to: 'ask.in' },
    { from: 'ask.out', to: 'write.in' },
  ],
};

beforeAll(async () => {
  world = await startOpenAiWorld([streamed]);
  openai = new OpenAI({ baseURL: world.base, apiKey: world.key, maxRetries: 2 });
});
afterAll(() => world.close());

const user = (content: string) => [{ role: 'user' as const, content }];
const pixel = 'data:image/png;base64,iVBORw0KGgo=';

describe('settings', () => {
  test('that the provider knows reach it', async () => {
    const { response } = await openai.chat.completions
      .create({
        model: 'real/json',
        messages: [{ role: 'user', content: 'Where?', name: 'ada' }],
        response_format: { type: 'json_object' },
        seed: 7,
        presence_penalty: 0.5,
        frequency_penalty: -0.5,
        logit_bias: { 50256: -100 },
        reasoning_effort: 'low',
        parallel_tool_calls: false,
        max_completion_tokens: 9,
        store: true,
        metadata: { a: 'b' },
        tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object' } } }],
      })
      .withResponse();
    expect(response.headers.get('x-weft-ignored')).toBe('store, metadata');
    expect(world.lastBody()).toMatchObject({
      response_format: { type: 'json_object' },
      seed: 7,
      presence_penalty: 0.5,
      frequency_penalty: -0.5,
      logit_bias: { 50256: -100 },
      reasoning_effort: 'low',
      parallel_tool_calls: false,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Where?', name: 'ada' }],
      tools: [{ function: { name: 'f', strict: true } }],
    });
  });

  test('of a reasoning model have its limit by its own name', async () => {
    await openai.chat.completions.create({ model: 'real/o3-mini', messages: user('Hi'), max_tokens: 9 });
    expect(world.lastBody()).toMatchObject({ max_completion_tokens: 9 });
    expect(world.lastBody()).not.toHaveProperty('max_tokens');
  });

  test('that the provider does not know are listed, or refused by name', async () => {
    const { response } = await openai.chat.completions
      .create({ model: 'demo/echo', messages: user('Hi'), logit_bias: { 1: 1 }, seed: 1 })
      .withResponse();
    expect(response.headers.get('x-weft-ignored')).toBe('logit_bias');
    for (const [name, value] of Object.entries({
      n: 2,
      logprobs: true,
      audio: { voice: 'a' },
      functions: [],
    })) {
      const asked = openai.chat.completions.create({
        model: 'real/plain',
        messages: user('Hi'),
        ...({ [name]: value } as object),
      });
      await expect(asked, name).rejects.toMatchObject({ status: 400, param: name });
    }
  });
});

describe('images and files', () => {
  const content = [
    { type: 'text' as const, text: 'What is it?' },
    { type: 'image_url' as const, image_url: { url: pixel, detail: 'low' as const } },
    { type: 'file' as const, file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
  ];

  test('reach a model that takes them', async () => {
    await openai.chat.completions.create({ model: 'real/sees', messages: [{ role: 'user', content }] });
    expect(world.lastBody()['messages']).toEqual([{ role: 'user', content }]);
  });

  test('may be uploaded before, and named by their ids', async () => {
    const base64 =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const bytes = Buffer.from(base64, 'base64');
    const file = new File([bytes], 'dot.png', { type: 'image/png' });
    const { id, filename } = await openai.files.create({ file, purpose: 'user_data' });
    const named = [content[0], { type: 'file' as const, file: { file_id: id } }] as typeof content;
    await openai.chat.completions.create({
      model: 'real/sees',
      messages: [{ role: 'user', content: named }],
    });
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } };
    expect(filename).toBe('dot.png');
    expect(world.lastBody()['messages']).toEqual([{ role: 'user', content: [content[0], image] }]);
  });

  const csv = `data:text/csv;base64,${Buffer.from('name,age\nAda,36\n').toString('base64')}`;

  test.each([csv, csv.replace('text/csv', 'application/octet-stream')])(
    'that are documents become text for a model that takes none (%s)',
    async (file_data) => {
      const text = '<file name="people.csv">\nname: Ada\nage: 36\n</file>';
      await openai.chat.completions.create({
        model: 'real/plain',
        messages: [
          { role: 'user', content: [{ type: 'file', file: { filename: 'people.csv', file_data } }] },
        ],
      });
      expect(world.lastBody()['messages']).toEqual([{ role: 'user', content: text }]);
      await openai.responses.create({
        model: 'real/plain',
        input: [{ role: 'user', content: [{ type: 'input_file', filename: 'people.csv', file_data }] }],
      });
      expect(world.lastBody()['messages']).toEqual([{ role: 'user', content: text }]);
    },
  );

  test('may be named by their ids in a response too, and an unknown id has its code', async () => {
    const file = new File(['a text'], 'a.txt', { type: 'text/plain' });
    const { id } = await openai.files.create({ file, purpose: 'user_data' });
    const ask = (file_id: string) =>
      openai.responses.create({
        model: 'real/plain',
        input: [{ role: 'user', content: [{ type: 'input_file', file_id }] }],
      });
    await ask(id);
    expect(world.lastBody()['messages']).toEqual([
      { role: 'user', content: '<file name="a.txt">\na text\n</file>' },
    ]);
    for (const unknown of ['f_nope', 'file-abc', '../../etc/passwd'])
      await expect(ask(unknown)).rejects.toMatchObject({ status: 404, code: 'file_not_found' });
  });

  test('are an error with a code for one that does not', async () => {
    const asked = openai.chat.completions.create({
      model: 'real/plain',
      messages: [{ role: 'user', content }],
    });
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'input_unsupported', param: 'messages' });
  });
});

describe('what the provider says', () => {
  test('of a request that is wrong stays a 400 with its code, and is not tried again', async () => {
    const before = world.provider.asked.length;
    const asked = openai.chat.completions.create({ model: 'real/full', messages: user('Hi') });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      param: 'messages',
    });
    expect(world.provider.asked.length).toBe(before + 1);
  });

  test('never tells callers its address', async () => {
    const one = new OpenAI({ baseURL: world.base, apiKey: world.key, maxRetries: 0 });
    const failure = (await one.chat.completions
      .create({ model: 'gone/x', messages: user('Hi') })
      .catch((error: unknown) => error)) as { status: number; message: string };
    expect(failure.status).toBe(503);
    expect(failure.message).toContain('gone');
    expect(failure.message).not.toContain('127.0.0.1');
  });

  test('in a stream is told as what it is', async () => {
    const stream = await openai.chat.completions.create({
      model: 'real/fails',
      messages: user('Hi'),
      stream: true,
    });
    const reading = (async () => {
      for await (const _ of stream);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'model_unavailable' });
  });

  test.each([
    ['real/filtered', 'content_filter'],
    ['real/cut', 'length'],
  ])('of the end of %s is told: %s', async (model, reason) => {
    const answer = await openai.chat.completions.create({ model, messages: user('Hi') });
    expect(answer.choices[0]?.finish_reason).toBe(reason);
  });
});

test('models are listed, by their aliases and for vectors too, and an alias answers as what it stands for', async () => {
  const ids: string[] = [];
  for await (const model of openai.models.list()) ids.push(model.id);
  expect(ids).toEqual(expect.arrayContaining(['real/plain', 'real/vectors', 'gpt-4o', 'flow:streamed']));
  expect(await openai.models.retrieve('real/plain')).toMatchObject({ id: 'real/plain' });
  const answer = await openai.chat.completions.create({ model: 'gpt-4o', messages: user('Hi') });
  expect(answer).toMatchObject({ model: 'real/plain', choices: [{ message: { content: 'Hello there' } }] });
  await expect(openai.models.retrieve('nothing')).rejects.toMatchObject({ status: 404 });
});

test('a flow that ends in chunks of its own tells what its models took', async () => {
  const answer = await openai.chat.completions.create({ model: 'flow:streamed', messages: user('Hi') });
  expect(answer.choices[0]?.message.content).toBe('Hello there');
  expect(answer.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 });
});

test('tokens that the provider had in its cache are told', async () => {
  const answer = await openai.chat.completions.create({ model: 'real/cached', messages: user('Hi') });
  expect(answer.usage?.prompt_tokens_details).toEqual({ cached_tokens: 5 });
  const response = await openai.responses.create({ model: 'real/cached', input: 'Hi' });
  expect(response.usage?.input_tokens_details.cached_tokens).toBe(5);
});

describe('the model of a chat with an app', () => {
  const headers = () => ({ authorization: `Bearer ${world.key}`, 'content-type': 'application/json' });
  const makeApp = async (app_name: string, detail: object): Promise<string> => {
    const body = {
      app_name,
      app_describe: 'Helps.',
      language: 'en',
      team_mode: 'single_agent',
      details: [{ agent_name: 'Clerk', prompt_template: 'Help.', ...detail }],
    };
    const made = await fetch(`${world.server.url}/api/v2/serve/apps`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify(body),
    });
    return ((await made.json()) as { data: { app_code: string } }).data.app_code;
  };
  /** The models that the chunks of an answer name, each once, and its text. */
  const asked = async (app: string, model: string): Promise<[string[], string]> => {
    const body = { model, messages: 'Hi', chat_mode: 'chat_app', chat_param: app, enable_vis: false };
    const answer = await fetch(`${world.server.url}/api/v2/chat/completions`, {
      method: 'POST',
      headers: headers(),
      body: JSON.stringify(body),
    });
    const chunks = chunksOf(await answer.text());
    return [[...new Set(chunks.map((one) => one.model))], contentOf(chunks)];
  };

  test('is asked where its agents leave the choice open, and the chunks say who answers', async () => {
    const app = await makeApp('Open', { llm_strategy: 'default' });
    expect(await asked(app, 'real/plain')).toEqual([['real/plain'], 'Hello there']);
    expect(await asked(app, 'gpt-4o')).toEqual([['real/plain'], 'Hello there']);
    expect(await asked(app, 'chatgpt_proxyllm')).toEqual([['demo/echo'], 'Hi']);
  });

  test('is not where they name their own', async () => {
    const app = await makeApp('Settled', { llm_strategy: 'priority', llm_strategy_value: 'demo/echo' });
    expect(await asked(app, 'real/plain')).toEqual([['demo/echo'], 'Hi']);
  });
});

describe('vectors', () => {
  test('come for one text and for several, as numbers and packed', async () => {
    const one = await openai.embeddings.create({ model: 'real/vectors', input: 'four' });
    expect(one).toMatchObject({
      model: 'real/vectors',
      data: [{ embedding: [4, 0.5] }],
      usage: { total_tokens: 4 },
    });
    const two = await openai.embeddings.create({
      model: 'real/vectors',
      input: ['a', 'bcd'],
      encoding_format: 'float',
    });
    expect(two.data.map(({ embedding }) => embedding)).toEqual([
      [1, 0.5],
      [3, 0.5],
    ]);
    const demo = await openai.embeddings.create({ model: 'demo/embed', input: 'a' });
    expect(demo.data[0]?.embedding).toHaveLength(64);
  });

  test('of what makes none are an error', async () => {
    const asked = openai.embeddings.create({ model: 'real/plain', input: 'a' });
    await expect(asked).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test('are as long as is asked where the model can make them so, and else an error', async () => {
    const asked = { model: 'real/shortens', input: ['a', 'b'], dimensions: 3 };
    const { data } = await openai.embeddings.create(asked);
    expect(data.map(({ embedding }) => embedding.length)).toEqual([3, 3]);
    expect(world.lastBody()).toMatchObject({ dimensions: 3 });
    for (const model of ['real/vectors', 'demo/embed']) {
      const long = openai.embeddings.create({ ...asked, model });
      await expect(long, model).rejects.toMatchObject({
        status: 400,
        code: 'setting_unsupported',
        param: 'dimensions',
      });
    }
  });

  test('of numbers of tokens are refused by name', async () => {
    for (const input of [[1, 2], [[1, 2]]]) {
      const asked = openai.embeddings.create({ model: 'real/vectors', input: input as number[] });
      await expect(asked).rejects.toMatchObject({
        status: 400,
        code: 'invalid_request',
        param: 'input',
        message: expect.stringContaining('lists of token numbers are not supported') as string,
      });
    }
  });
});

describe('completions', () => {
  test('answer a prompt, whole and as a stream', async () => {
    const answer = await openai.completions.create({ model: 'real/plain', prompt: 'Hi', max_tokens: 5 });
    expect(answer).toMatchObject({
      object: 'text_completion',
      choices: [{ text: 'Hello there', finish_reason: 'stop' }],
      usage: { total_tokens: 10 },
    });
    expect(world.lastBody()['messages']).toEqual([{ role: 'user', content: 'Hi' }]);
    let text = '';
    for await (const chunk of await openai.completions.create({
      model: 'real/plain',
      prompt: 'Hi',
      stream: true,
    }))
      text += chunk.choices[0]?.text ?? '';
    expect(text).toBe('Hello there');
  });

  test('refuse what they cannot do', async () => {
    const prompts = [{ prompt: ['a', 'b'] }, { prompt: [1, 2] }];
    for (const more of [{ suffix: 'x' }, { logprobs: 1 }, { echo: true }, { best_of: 2 }, ...prompts]) {
      const asked = openai.completions.create({ model: 'real/plain', prompt: 'Hi', ...more });
      await expect(asked).rejects.toMatchObject({ status: 400, param: Object.keys(more)[0] });
    }
  });
});

describe('responses', () => {
  const tools = [
    {
      type: 'function' as const,
      name: 'weather',
      description: 'Tells the weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      strict: false,
    },
  ];

  test('answer a text', async () => {
    const answer = await openai.responses.create({
      model: 'real/plain',
      instructions: 'Be brief.',
      input: 'Hi',
      max_output_tokens: 9,
      reasoning: { effort: 'low' },
    });
    expect(answer.output_text).toBe('Hello there');
    expect(answer).toMatchObject({
      object: 'response',
      status: 'completed',
      usage: { input_tokens: 7, output_tokens: 3 },
    });
    expect(world.lastBody()).toMatchObject({
      max_tokens: 9,
      reasoning_effort: 'low',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    });
  });

  test('call functions, and go on with their outputs', async () => {
    const input = [{ role: 'user' as const, content: 'Weather?' }];
    const first = await openai.responses.create({ model: 'real/tool', input, tools });
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls).toMatchObject([{ name: 'weather', arguments: '{"city":"Oslo"}', call_id: 'call_1' }]);
    const outputs = calls.map(({ call_id }) => {
      return { type: 'function_call_output' as const, call_id, output: 'sunny' };
    });
    const second = await openai.responses.create({
      model: 'real/tool',
      input: [...input, ...first.output, ...outputs] as never,
      tools,
    });
    expect(second.output_text).toBe('It is sunny.');
    expect(world.lastBody()['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Let me look.', tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ]);
  });

  test('are streamed by events that OpenAI’s own helper puts together', async () => {
    const stream = openai.responses.stream({ model: 'real/tool', input: 'Weather?', tools });
    const names: string[] = [];
    for await (const event of stream) names.push(event.type);
    expect(names[0]).toBe('response.created');
    expect(names).toContain('response.output_text.delta');
    expect(names).toContain('response.function_call_arguments.done');
    expect(names.at(-1)).toBe('response.completed');
    const final = await stream.finalResponse();
    expect(final.output.map(({ type }) => type)).toEqual(['message', 'function_call']);
    expect(final.output_text).toBe('Let me look.');
    const thinking = await openai.responses.stream({ model: 'real/thinks', input: 'Hi' }).finalResponse();
    expect(thinking.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  });

  test('give JSON of a schema, see images, and say why they ended', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const answer = await openai.responses.create({
      model: 'real/json',
      input: 'Where?',
      text: { format: { type: 'json_schema', name: 'place', schema, strict: false } },
    });
    expect(JSON.parse(answer.output_text)).toEqual({ city: 'Oslo' });
    expect(world.lastBody()['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'place', schema, strict: false },
    });
    const content = [
      { type: 'input_text' as const, text: 'What?' },
      { type: 'input_image' as const, image_url: pixel, detail: 'auto' as const },
    ];
    await openai.responses.create({ model: 'real/sees', input: [{ role: 'user', content }] });
    expect(world.lastBody()['messages']).toMatchObject([
      { content: [{ type: 'text' }, { type: 'image_url', image_url: { url: pixel } }] },
    ]);
    const cut = await openai.responses.create({ model: 'real/cut', input: 'Hi' });
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });

  test('keep nothing, and say so', async () => {
    const reference = [{ type: 'item_reference', id: 'msg_1' }];
    for (const more of [{ previous_response_id: 'resp_1' }, { background: true }, { input: reference }]) {
      const asked = openai.responses.create({ model: 'real/plain', input: 'Hi', ...(more as object) });
      const param = Object.keys(more)[0];
      await expect(asked).rejects.toMatchObject({ status: 400, code: 'response_not_kept', param });
    }
    const input = [{ role: 'user', content: 'Hi' }, ...reference] as never;
    await expect(openai.responses.create({ model: 'real/plain', input })).rejects.toThrow(
      'input[1] is an item_reference, and this server stores no items: send the item itself instead',
    );
  });

  test('that fail on the way end with what failed', async () => {
    const stream = await openai.responses.create({ model: 'real/fails', input: 'Hi', stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'model_unavailable' } },
    });
  });
});

test('nothing else is there, and asks for a key', async () => {
  const headers = { authorization: `Bearer ${world.key}` };
  const missing = await fetch(`${world.base}/batches`, { headers });
  expect([missing.status, await missing.json()]).toMatchObject([404, { err_code: 'not_found' }]);
  expect((await fetch(`${world.base}/models`)).status).toBe(401);
});
