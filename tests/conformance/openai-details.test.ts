import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenAiWorld, startOpenAiWorld } from './support/openai-world.ts';

/** Points of OpenAI's interface that its client, or programs built on it, rely on. */
let world: OpenAiWorld;
let openai: OpenAI;

beforeAll(async () => {
  world = await startOpenAiWorld();
  openai = new OpenAI({ baseURL: world.base, apiKey: world.key, maxRetries: 2 });
});
afterAll(() => world.close());

const user = (content: string) => [{ role: 'user' as const, content }];
const weather = { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } };

describe('a refusal', () => {
  test('is told apart from an answer, whole and as a stream', async () => {
    const asked = { model: 'real/refuses', messages: user('Hi') };
    const { choices } = await openai.chat.completions.create(asked);
    expect(choices[0]).toMatchObject({
      message: { content: null, refusal: 'I cannot.' },
      finish_reason: 'stop',
    });
    const parsed = await openai.chat.completions.parse({
      ...asked,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    });
    expect(parsed.choices[0]?.message).toMatchObject({ parsed: null, refusal: 'I cannot.' });
    const stream = await openai.chat.completions.create({ ...asked, stream: true });
    const deltas: unknown[] = [];
    for await (const {
      choices: [choice],
    } of stream)
      deltas.push(choice?.delta.refusal ?? choice?.delta.content ?? choice?.finish_reason);
    expect(deltas).toEqual(['I can', 'not.', 'stop']);
  });

  test('is a part of its own in a response', async () => {
    const asked = { model: 'real/refuses', input: 'Hi' };
    const content = [{ type: 'refusal', refusal: 'I cannot.' }];
    expect(await openai.responses.create(asked)).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', content }],
    });
    const stream = openai.responses.stream(asked);
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types).toContain('response.refusal.done');
    expect(await stream.finalResponse()).toMatchObject({ output: [{ type: 'message', content }] });
  });
});

describe('a response', () => {
  test('numbers its events in their order', async () => {
    const asked = { model: 'real/thinks', input: 'Hi', stream: true as const };
    const numbers: number[] = [];
    for await (const event of await openai.responses.create(asked)) numbers.push(event.sequence_number);
    expect(numbers).toEqual(numbers.map((_, at) => at));
    expect(numbers.length).toBeGreaterThan(10);
  });

  test('repeats its instructions and metadata', async () => {
    const asked = { model: 'real/plain', input: 'Hi', instructions: 'Be brief.', metadata: { a: 'b' } };
    expect(await openai.responses.create(asked)).toMatchObject({
      instructions: 'Be brief.',
      metadata: { a: 'b' },
    });
    const { instructions, metadata } = await openai.responses.create({ model: 'real/plain', input: 'Hi' });
    expect([instructions, metadata]).toEqual([null, {}]);
  });
});

test('tokens of thoughts are told', async () => {
  const { usage } = await openai.chat.completions.create({ model: 'real/ponders', messages: user('Hi') });
  expect(usage?.completion_tokens_details).toEqual({ reasoning_tokens: 2 });
  const response = await openai.responses.create({ model: 'real/ponders', input: 'Hi' });
  expect(response.usage?.output_tokens_details).toEqual({ reasoning_tokens: 2 });
});

describe('a request that cannot be followed is refused by the name of its field', () => {
  test.each<[string, object, string]>([
    [
      'tool_choice',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'a' } } },
      'tools',
    ],
    ['tool_choice', { tool_choice: 'required' }, 'tools'],
    ['stop', { stop: Array.from({ length: 17 }, () => 'a') }, 'at most 16 texts'],
  ])('%s in %j', async (param, fields, message) => {
    const asked = openai.chat.completions.create({ model: 'real/plain', messages: user('Hi'), ...fields });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      param,
      message: expect.stringMatching(new RegExp(`^400 body\\.${param}: must [^;]*${message}`)) as string,
    });
  });
});

describe('an error of the provider', () => {
  const requests = (model: string) => world.provider.asked.filter(({ body }) => body.model === model).length;

  test('that another attempt cannot mend is not tried again, and names no inner field', async () => {
    const asked = openai.chat.completions.create({ model: 'real/locked', messages: user('Hi') });
    await expect(asked).rejects.toMatchObject({ status: 502, code: 'model_refused', param: null });
    expect(requests('locked')).toBe(1);
  });

  test('says when to come back, whichever way the provider says it', async () => {
    const once = openai.withOptions({ maxRetries: 0 });
    const failure: unknown = await once.chat.completions
      .create({ model: 'real/later', messages: user('Hi') })
      .then(undefined, (error: unknown) => error);
    expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
    expect((failure as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('3');
  });
});

test('what is not offered is refused by its name', async () => {
  const speech = { model: 'real/plain', voice: 'alloy', input: 'Hi' };
  for (const [ask, status, said] of [
    [() => openai.audio.speech.create(speech), 404, 'audio'],
    [() => openai.moderations.create({ input: 'Hi' }), 404, 'moderations'],
    [() => openai.batches.list(), 404, 'batches'],
    [() => openai.responses.retrieve('resp_1'), 404, 'not stored'],
    [() => openai.files.list(), 405, 'cannot be listed'],
    [() => openai.files.retrieve('f_1'), 404, 'cannot be listed'],
    [() => openai.files.content('f_1'), 404, 'cannot be listed'],
    [() => openai.files.delete('f_1'), 404, 'cannot be listed'],
  ] as const)
    await expect(ask()).rejects.toMatchObject({ status, message: expect.stringContaining(said) as string });
});
