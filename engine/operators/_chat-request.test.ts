import { describe, expect, test } from 'vitest';
import { messagesOf, readRequest } from './_chat-request.ts';
import { modelCallOf, requestOf } from './_model-call.ts';

const user = (content: string) => ({ role: 'user', content }) as const;
const system = (content: string) => ({ role: 'system', content }) as const;

describe('a request', () => {
  test.each<[string, unknown]>([
    ['a text', 'Hi'],
    ['a list of texts', ['Hi']],
    ['a message', [user('Hi')]],
    [
      'parts of a message',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'H' },
            { type: 'text', text: 'i' },
          ],
        },
      ],
    ],
    ['a body with a text', { messages: 'Hi' }],
    ['the original’s words', { messages: [{ role: 'human', content: 'Hi' }] }],
    ['an answer of a model', { text: 'Hi', finishReason: 'stop' }],
  ])('is read from %s', (_, value) => {
    expect(readRequest(value)).toEqual({ text: 'Hi', messages: [user('Hi')], history: [] });
  });

  test('is its own form again', () => {
    const request = readRequest({
      messages: [system('S'), user('A'), { role: 'assistant', content: 'B' }, user('C')],
      temperature: 0,
      stream: true,
    });
    expect(request).toEqual({
      text: 'C',
      messages: [system('S'), user('C')],
      history: [user('A'), { role: 'assistant', content: 'B' }],
      temperature: 0,
      stream: true,
    });
    expect(readRequest(request)).toEqual(request);
  });

  test('keeps settings, images and files, under its own names and OpenAI’s', () => {
    const parts = [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ];
    const request = readRequest({
      messages: [{ role: 'user', content: parts, name: 'ada' }],
      max_completion_tokens: 5,
      presence_penalty: 1,
      reasoning_effort: 'low',
      json: true,
    });
    const image = { type: 'image', url: 'https://example.com/a.png' };
    expect(request).toEqual({
      text: 'See',
      messages: [
        { role: 'user', content: 'See', name: 'ada', parts: [{ type: 'text', text: 'See' }, image] },
      ],
      history: [],
      maxTokens: 5,
      presencePenalty: 1,
      reasoningEffort: 'low',
      json: true,
    });
    expect(readRequest(request)).toEqual(request);
  });

  test('keeps calls of tools and their answers with the message they belong to', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
    const messages = [
      user('Go'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', content: 'Done', tool_call_id: 'c' },
    ];
    expect(readRequest({ messages }).messages).toEqual([
      user('Go'),
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'f', arguments: { a: 1 } }] },
      { role: 'tool', content: 'Done', toolCallId: 'c' },
    ]);
  });

  test('takes a call of a tool without arguments', () => {
    const calls = [
      { id: 'a', name: 'f' },
      { id: 'b', type: 'function', function: { name: 'f' } },
    ];
    const [message] = readRequest({ messages: [{ role: 'assistant', toolCalls: calls }] }).messages;
    expect(message).toMatchObject({
      toolCalls: [
        { id: 'a', name: 'f', arguments: {} },
        { id: 'b', name: 'f', arguments: {} },
      ],
    });
  });

  test.each<[string, unknown, string]>([
    ['a number', 5, 'bad_input'],
    ['an object without messages', { name: 'Ada' }, 'bad_input'],
    ['a role that there is not', [{ role: 'nobody', content: '' }], 'bad_input'],
    ['a picture', [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }], 'bad_input'],
    ['too many messages', Array.from({ length: 10_001 }, () => 'a'), 'too_many_items'],
  ])('is not read from %s', (_, value, code) => {
    expect(() => readRequest(value)).toThrow(expect.objectContaining({ code }));
  });
});

test('settings of the node come before those of the request', () => {
  const given = { messages: [user('Hi')], model: 'a', temperature: 1, maxTokens: 5 };
  const call = modelCallOf({ model: 'b', system: 'Be brief.', temperature: 0 }, given);
  expect(call).toEqual({
    model: 'b',
    temperature: 0,
    maxTokens: 5,
    messages: [system('Be brief.'), user('Hi')],
  });
});

test('a prompt takes the place of the message, and leaves history and instructions', () => {
  const given = { messages: [system('S'), user('A'), user('B')] };
  const request = requestOf({ prompt: 'C' }, given);
  expect(request).toMatchObject({ text: 'C', messages: [system('S'), user('C')], history: [user('A')] });
  expect(messagesOf(request)).toEqual([system('S'), user('A'), user('C')]);
  expect(requestOf({ prompt: 'C' }, 5)).toEqual({ text: 'C', messages: [user('C')], history: [] });
});
