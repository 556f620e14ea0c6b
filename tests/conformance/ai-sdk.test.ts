import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embedMany, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OpenAiWorld, startOpenAiWorld } from './support/openai-world.ts';

/** The AI SDK with both of its providers for OpenAI's interface: `openai(model)` asks by `/responses`. */
let world: OpenAiWorld;
beforeAll(async () => {
  world = await startOpenAiWorld();
});
afterAll(() => world.close());

const compatible = () => createOpenAICompatible({ name: 'weft', baseURL: world.base, apiKey: world.key });
const openai = () => createOpenAI({ baseURL: world.base, apiKey: world.key });

const kinds = [
  ['openai-compatible', (name: string) => compatible()(name)],
  ['openai, by chat', (name: string) => openai().chat(name)],
  ['openai, by responses', (name: string) => openai()(name)],
] as const;

const weather = tool({
  description: 'Tells the weather.',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: async ({ city }) => `sunny in ${city}`,
});

describe.each(kinds)('%s', (kind, modelOf) => {
  test('answers, whole and as a stream', async () => {
    const { text, usage } = await generateText({ model: modelOf('real/plain'), prompt: 'Hi' });
    expect(text).toBe('Hello there');
    expect(usage.outputTokens).toBe(3);
    const stream = streamText({ model: modelOf('real/plain'), prompt: 'Hi' });
    expect(await stream.text).toBe('Hello there');
    expect(await stream.finishReason).toBe('stop');
  });

  test('uses tools over steps', async () => {
    // What the assistant has said itself is sent by reference unless nothing is to be stored.
    const providerOptions = { openai: { store: false } };
    const { text, steps } = await generateText({
      model: modelOf('real/tool'),
      prompt: 'Weather?',
      tools: { weather },
      stopWhen: stepCountIs(3),
      providerOptions,
    });
    expect(text).toBe('It is sunny.');
    expect(steps).toHaveLength(2);
    const messages = world.lastBody()['messages'] as { role: string; content: string }[];
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'sunny in Oslo' });
  });

  test('gets an object by a schema', async () => {
    const schema = jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    });
    const { output } = await generateText({
      model: modelOf('real/json'),
      prompt: 'Where? Answer in JSON.',
      output: Output.object({ schema }),
    });
    expect(output).toEqual({ city: 'Oslo' });
    expect(world.lastBody()['response_format']).toBeDefined();
  });

  test('sends images', async () => {
    const image = Buffer.from('iVBORw0KGgo=', 'base64');
    const file = { type: 'file' as const, mediaType: 'image/png', data: new Uint8Array(image) };
    await generateText({
      model: modelOf('real/sees'),
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What?' }, file] }],
    });
    expect(world.lastBody()['messages']).toMatchObject([
      {
        content: [
          { type: 'text' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
    ]);
  });

  test(`hears a 400 as one that is not to be tried again (${kind})`, async () => {
    const before = world.provider.asked.length;
    const failure = await generateText({ model: modelOf('real/full'), prompt: 'Hi' }).catch(
      (error: unknown) => error,
    );
    expect(APICallError.isInstance(failure) && [failure.statusCode, failure.isRetryable]).toEqual([
      400,
      false,
    ]);
    expect(world.provider.asked.length).toBe(before + 1);
  });
});

test.each([
  ['openai-compatible', () => compatible().embeddingModel('real/vectors')],
  ['openai', () => openai().embedding('real/vectors')],
])('%s makes vectors', async (_, model) => {
  const { embeddings } = await embedMany({ model: model(), values: ['a', 'bcd'] });
  expect(embeddings).toEqual([
    [1, 0.5],
    [3, 0.5],
  ]);
});

test('openai completes a prompt', async () => {
  const { text } = await generateText({ model: openai().completion('real/plain'), prompt: 'Hi' });
  expect(text).toBe('Hello there');
});
