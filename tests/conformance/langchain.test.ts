import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenAiWorld, startOpenAiWorld } from './support/openai-world.ts';

/** LangChain, which speaks through OpenAI's client. */
let world: OpenAiWorld;
beforeAll(async () => {
  world = await startOpenAiWorld();
});
afterAll(() => world.close());

const model = (name: string, more: object = {}) =>
  new ChatOpenAI({
    model: name,
    apiKey: world.key,
    maxRetries: 2,
    configuration: { baseURL: world.base },
    ...more,
  });

const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      description: 'Tells the weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
];

test('asks, and streams with usage', async () => {
  const said = await model('real/plain', { temperature: 0, seed: 3 }).invoke([
    new SystemMessage('Be brief.'),
    new HumanMessage('Hi'),
  ]);
  expect(said.content).toBe('Hello there');
  expect(said.usage_metadata).toMatchObject({ input_tokens: 7, output_tokens: 3 });
  let text = '';
  let tokens = 0;
  for await (const chunk of await model('real/plain', { streamUsage: true }).stream('Hi')) {
    text += chunk.text;
    tokens += (chunk.usage_metadata as { total_tokens: number } | undefined)?.total_tokens ?? 0;
  }
  expect([text, tokens]).toEqual(['Hello there', 10]);
});

test('binds tools over two turns', async () => {
  const bound = model('real/tool').bindTools(tools);
  const asked = new HumanMessage('Weather?');
  const first = await bound.invoke([asked]);
  expect(first.tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Oslo' }, id: 'call_1' }]);
  const second = await bound.invoke([
    asked,
    first,
    new ToolMessage({ content: 'sunny', tool_call_id: 'call_1' }),
  ]);
  expect(second.content).toBe('It is sunny.');
});

test.each(['jsonMode', 'jsonSchema'] as const)('gets a structure by %s', async (method) => {
  const schema = {
    title: 'place',
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  };
  const structured = model('real/json').withStructuredOutput(schema, { method });
  expect(await structured.invoke('Where? Answer in JSON.')).toEqual({ city: 'Oslo' });
  const format = world.lastBody()['response_format'] as { type: string };
  expect(format.type).toBe(method === 'jsonMode' ? 'json_object' : 'json_schema');
});

test('uses the Responses interface', async () => {
  const said = await model('real/plain', { useResponsesApi: true }).invoke('Hi');
  expect(said.text).toBe('Hello there');
  let text = '';
  for await (const chunk of await model('real/plain', { useResponsesApi: true }).stream('Hi'))
    text += chunk.text;
  expect(text).toBe('Hello there');
});

test('sends images', async () => {
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  await model('real/sees').invoke([
    new HumanMessage({
      content: [
        { type: 'text', text: 'What?' },
        { type: 'image_url', image_url: { url } },
      ],
    }),
  ]);
  expect(world.lastBody()['messages']).toMatchObject([
    { content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }] },
  ]);
});

test('makes vectors', async () => {
  const embeddings = new OpenAIEmbeddings({
    model: 'real/vectors',
    apiKey: world.key,
    configuration: { baseURL: world.base },
  });
  expect(await embeddings.embedDocuments(['a', 'bcd'])).toEqual([
    [1, 0.5],
    [3, 0.5],
  ]);
});

test('hears that a context is too long, and does not try again', async () => {
  const before = world.provider.asked.length;
  await expect(model('real/full').invoke('Hi')).rejects.toMatchObject({ code: 'context_length_exceeded' });
  expect(world.provider.asked.length).toBe(before + 1);
});
