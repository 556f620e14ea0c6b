import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { ChatItem } from '#shared/chat-item.ts';
import { createItemReader, valueText } from './items.ts';

function read(...values: unknown[]): readonly ChatItem[] {
  const reader = createItemReader();
  return [...values.flatMap((value) => reader.read(value)), ...reader.end()];
}

const textOf = (items: readonly ChatItem[]): string =>
  items.map((item) => (item.type === 'text' ? item.text : '')).join('');

test('texts and items are read unchanged', () => {
  const call: ChatItem = { type: 'tool-call', call: { id: '1', name: 'look', arguments: {} } };
  expect(read('a', { type: 'text', text: 'b' }, call)).toEqual([
    { type: 'text', text: 'a' },
    { type: 'text', text: 'b' },
    call,
  ]);
});

test('chunks in OpenAI’s format are texts and an end', () => {
  const chunk = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] });
  const items = read(
    chunk({ role: 'assistant' }),
    chunk({ content: 'Hel' }),
    chunk({ content: 'lo' }),
    {
      ...chunk({}, { finish_reason: 'length' }),
      model: 'm',
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    },
    '[DONE]',
  );
  expect(textOf(items)).toBe('Hello');
  expect(items.at(-1)).toEqual({
    type: 'finish',
    reason: 'length',
    usage: { inputTokens: 3, outputTokens: 2 },
    model: 'm',
  });
});

test('only an end that follows chunks is not part of the text', () => {
  expect(textOf(read('[DONE]'))).toBe('[DONE]');
});

test('bodies of DB-GPT are texts, whether they repeat earlier text or not', () => {
  const body = (text: string, incremental: boolean) => ({ text, error_code: 0, incremental, usage: null });
  expect(textOf(read(body('Hel', true), body('lo', true)))).toBe('Hello');
  expect(textOf(read(body('Hel', false), body('Hello', false)))).toBe('Hello');
});

test('a body with an error code is a failure with its text', () => {
  expect(() => read({ text: 'no luck', error_code: 1 })).toThrow(
    expect.objectContaining({ code: 'answer_failed', message: 'no luck' }),
  );
});

test('the whole answer of a model is its text, after its thoughts and before its end', () => {
  const usage = { inputTokens: 3, outputTokens: 5 };
  const answer = { text: 'Hi', reasoning: 'Greet.', finishReason: 'stop', usage, model: 'demo/echo' };
  const call = { id: '1', name: 'look', arguments: {} };
  const end = { type: 'finish', reason: 'stop', usage, model: 'demo/echo' };
  expect(read(answer)).toEqual([{ type: 'reasoning', text: 'Greet.' }, { type: 'text', text: 'Hi' }, end]);
  expect(read({ ...answer, reasoning: undefined, toolCalls: [call, 'none'] })).toEqual([
    { type: 'text', text: 'Hi' },
    { type: 'tool-call', call },
    end,
  ]);
});

test('any other value is shown as JSON, and an absent value as nothing', () => {
  expect(textOf(read(5))).toBe('5');
  expect(textOf(read({ a: [1] }))).toBe('{"a":[1]}');
  expect(textOf(read([true]))).toBe('[true]');
  expect(read(null, undefined, '')).toEqual([]);
});

test('a whole answer with a `content` is that text', () => {
  expect(valueText({ content: 'Hi', role: 'assistant' })).toBe('Hi');
  expect(valueText(['content'])).toEqual(['content']);
});

test('no text ends within a character, wherever the pieces were cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.nat(20)), (whole, cuts) => {
      const pieces: string[] = [];
      let rest = whole;
      for (const cut of cuts) {
        pieces.push(rest.slice(0, cut));
        rest = rest.slice(cut);
      }
      const items = read(...pieces, rest);
      expect(textOf(items)).toBe(whole);
      for (const item of items) expect((item as { text: string }).text.isWellFormed()).toBe(true);
    }),
  );
});

test('half a character at the very end is not lost', () => {
  expect(textOf(read('a\ud83d'))).toBe('a\ud83d');
});

test.each([
  { type: 'plan', price: 3 },
  { type: 'plan', plan: { num: 1, status: 'complete' } },
  { type: 'text', text: 3 },
  { type: 'reasoning' },
  { type: 'tool-call', call: 'x' },
  { type: 'tool-result' },
  { type: 'speaker', sender: 1 },
  { type: 'finish', reason: 'done' },
])('a value that only looks like an item is shown as JSON: %j', (value) => {
  expect(read(value)).toEqual([{ type: 'text', text: JSON.stringify(value) }]);
});

test('chunks and bodies that are not well formed are read as far as possible', () => {
  expect(read({ choices: [null] })).toEqual([]);
  expect(read({ choices: [{ delta: 'x', finish_reason: 'stop' }], usage: 'none' })).toMatchObject([
    { type: 'finish', usage: { inputTokens: 0, outputTokens: 0 } },
  ]);
  expect(read({ choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 'many' } })).toMatchObject([
    { type: 'finish', usage: { inputTokens: 0, outputTokens: 0 } },
  ]);
});
