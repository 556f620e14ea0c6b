import { fc } from '../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { ChatRequestBody } from './chat-request.ts';

const read = (body: unknown) => ChatRequestBody.parse(body);
const problems = (body: unknown) =>
  ChatRequestBody.safeParse(body).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ??
  [];

const objects = [{ role: 'user', content: 'Hi' }];

describe('messages', () => {
  test('may be a text, a list of texts, or OpenAI’s', () => {
    expect(read({ model: 'm', messages: 'Hi' }).messages).toEqual([{ role: 'user', content: 'Hi' }]);
    expect(read({ model: 'm', messages: ['a', 'b'] }).messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ]);
    const parts = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    const messages = [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: parts },
    ];
    expect(read({ model: 'm', messages }).messages).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'a\nb' },
    ]);
  });

  test('of tools keep what they belong to, also arguments that are no JSON', () => {
    const call = (text: string) => ({
      id: '1',
      type: 'function',
      function: { name: 'look', arguments: text },
    });
    const messages = [
      ...objects,
      { role: 'assistant', content: null, tool_calls: [call('{"a":1}'), call('{broken')] },
      { role: 'tool', tool_call_id: '1', content: 'seen', name: 'look' },
    ];
    expect(read({ model: 'm', messages }).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: '1', name: 'look', arguments: { a: 1 } },
          { id: '1', name: 'look', arguments: '{broken' },
        ],
      },
      { role: 'tool', content: 'seen', toolCallId: '1', name: 'look' },
    ]);
  });
});

describe('whether the answer is streamed', () => {
  test.each([
    ['texts', {}, true],
    ['objects', { messages: objects }, false],
    ['objects with chat_normal', { messages: objects, chat_mode: 'chat_normal' }, false],
    ['objects with chat_app', { messages: objects, chat_mode: 'chat_app' }, true],
    ['texts with chat_flow', { chat_mode: 'chat_flow' }, true],
    ['what was sent', { stream: false }, false],
    ['what was sent leniently', { stream: 'no' }, false],
    ['null, as if nothing was', { stream: null }, true],
  ])('%s', (_, more, stream) => {
    expect(read({ model: 'm', messages: 'Hi', ...more }).stream).toBe(stream);
  });
});

describe('whether agents are shown as blocks', () => {
  test.each([
    [{}, true],
    [{ chat_mode: 'chat_app' }, true],
    [{ model: 'app:x' }, false],
    [{ model: 'flow:x' }, false],
    [{ model: 'app:x', chat_mode: 'chat_normal' }, true],
    [{ model: 'app:x', enable_vis: true }, true],
    [{ enable_vis: 'false' }, false],
  ])('%j: %s', (more, blocks) => {
    expect(read({ model: 'm', messages: 'Hi', ...more }).blocks).toBe(blocks);
  });
});

test('all 13 fields of the original’s client may be null, but for the first two', () => {
  const names = ['stream', 'temperature', 'max_new_tokens', 'conv_uid', 'span_id', 'chat_mode', 'chat_param'];
  const more = ['user_name', 'sys_code', 'incremental', 'enable_vis'];
  const nulls = Object.fromEntries([...names, ...more].map((name) => [name, null]));
  expect(read({ model: 'm', messages: 'Hi', ...nulls })).toEqual(read({ model: 'm', messages: 'Hi' }));
  expect(problems({ model: null, messages: null })).toEqual([
    expect.stringMatching(/^model: /),
    'messages: must be a text, a list of texts, or a list of messages',
  ]);
});

test('settings of both worlds are one, and unknown ones are nothing', () => {
  const body = {
    model: 'm',
    messages: 'Hi',
    max_new_tokens: 7,
    temperature: 0.5,
    top_k: -1,
    stop: 'x',
    span_id: 's',
  };
  expect(read(body)).toMatchObject({ maxTokens: 7, temperature: 0.5, stop: ['x'] });
  expect(read({ ...body, max_tokens: 8 }).maxTokens).toBe(8);
});

test('settings of OpenAI are read, and what changes nothing is listed', () => {
  const { ignored, ...request } = read({
    model: 'm',
    messages: [
      {
        role: 'user',
        name: 'ada',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' } },
        ],
      },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema: { type: 'object' } } },
    seed: 1,
    presence_penalty: 1,
    frequency_penalty: 1,
    logit_bias: { 5: 1 },
    reasoning_effort: 'high',
    parallel_tool_calls: false,
    logprobs: false,
    modalities: ['text'],
    audio: null,
    store: true,
    metadata: { a: 1 },
    service_tier: null,
    'no name\r\n': 1,
    span_id: 's',
  });
  expect(ignored).toEqual(['store', 'metadata']);
  expect(request).toMatchObject({
    messages: [
      {
        content: 'See',
        name: 'ada',
        parts: [
          { type: 'text', text: 'See' },
          { type: 'image', url: 'https://example.com/a.png', detail: 'low' },
          { type: 'file', data: 'data:application/pdf;base64,AA', filename: 'a.pdf' },
        ],
      },
    ],
    schema: { type: 'object' },
    schemaName: 'place',
    schemaStrict: false,
    seed: 1,
    presencePenalty: 1,
    frequencyPenalty: 1,
    logitBias: { 5: 1 },
    reasoningEffort: 'high',
    parallelToolCalls: false,
  });
  expect(read({ model: 'm', messages: 'x', response_format: { type: 'json_object' } }).json).toBe(true);
});

test('one tool chosen by its name is the only one, and has to be called', () => {
  const tools = ['a', 'b'].map((name) => ({ type: 'function', function: { name } }));
  const choice = { type: 'function', function: { name: 'b' } };
  expect(read({ model: 'm', messages: objects, tools, tool_choice: choice })).toMatchObject({
    tools: [{ name: 'b', description: '', parameters: { type: 'object' } }],
    toolChoice: 'required',
  });
  expect(read({ model: 'm', messages: objects, tools: [] }).tools).toBeUndefined();
});

test.each([
  ['no object', 5, ': must be a JSON object'],
  ['no messages', { model: 'm', messages: [] }, 'messages: must hold a message'],
  [
    'sound',
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
    'messages.0.content: must be a text, or a list of parts of the types text, image_url and file',
  ],
  [
    'a picture in instructions',
    { model: 'm', messages: [{ role: 'system', content: [{ type: 'image_url' }] }] },
    'messages.0.content: must be a text, or a list of { "type": "text", "text": … }; only messages of the user can hold more',
  ],
  [
    'an unknown role',
    { model: 'm', messages: [{ role: 'robot', content: 'x' }] },
    'messages.0.role: must be a message: { "role": system, user, assistant or tool, "content": … }',
  ],
  ['two answers', { model: 'm', messages: 'x', n: 2 }, 'n: must be 1: one answer is given'],
  [
    'likelihoods',
    { model: 'm', messages: 'x', logprobs: true },
    'logprobs: must be false or left out: token probabilities are not available',
  ],
  [
    'a voice',
    { model: 'm', messages: 'x', audio: { voice: 'a' } },
    'audio: must be left out: answers are texts',
  ],
  [
    'an unknown form of answers',
    { model: 'm', messages: 'x', response_format: { type: 'xml' } },
    'response_format.type: must be of the type text, json_object or json_schema',
  ],
])('%s is refused with what would be right', (_, body, problem) => {
  expect(problems(body)).toEqual([problem]);
});

test('every problem is told', () => {
  expect(problems({ messages: [{ role: 'user' }, 5], temperature: 9 })).toHaveLength(4);
});

test('no body, whatever it is, does more than that', () => {
  const key = fc.constantFrom(
    'model',
    'messages',
    'stream',
    'tools',
    'stop',
    'conv_uid',
    'chat_mode',
    'response_format',
  );
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())), (body) => {
      const result = ChatRequestBody.safeParse(body);
      expect(result.success || result.error.issues.length > 0).toBe(true);
    }),
  );
});
