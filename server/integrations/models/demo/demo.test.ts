import timers from 'node:timers/promises';
import { fc } from '../../../../tests/support/property.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ModelCall } from '#engine';
import type { ChatMessage } from '#shared/chat-item.ts';
import { asker } from '../../../base/outbound/testing/ask.ts';
import { answerOf, testModels, textOf } from '../testing/test-models.ts';

/** The built-in provider: all of its abilities, and its determinism. */

/** The waits of the model, in milliseconds. Each ends at once, except those that a test ends itself. */
const pauses: number[] = [];
beforeEach(() => {
  pauses.length = 0;
  const real = timers.setTimeout;
  vi.spyOn(timers, 'setTimeout').mockImplementation((ms = 0, value, options) => {
    pauses.push(ms);
    return real(ms < 1000 ? 0 : ms, value, options);
  });
});
afterEach(() => void vi.restoreAllMocks());

const models = testModelsOnce();
function testModelsOnce() {
  let made: ReturnType<typeof testModels> | undefined;
  return () => (made ??= testModels());
}

const user = (content: string): ChatMessage => ({ role: 'user', content });
const ask = (asked: string | Partial<ModelCall>) => answerOf(models(), asked);
const replyTo = async (asked: string | Partial<ModelCall>) => textOf(await ask(asked));

/** A script as part of a message. */
const script = (...lines: string[]): string => ['```demo', ...lines, '```'].join('\n');

describe('without a script', () => {
  test('it introduces itself as a demo and repeats the message', async () => {
    expect(await replyTo('Hello')).toBe('This is the demo model: no real model was asked. You said: Hello');
  });

  test('it counts', async () => {
    expect(await replyTo('Please count to 12.')).toContain(' 1 2 3 4 5 6 7 8 9 10 11 12');
  });

  test('`echo` only repeats the message', async () => {
    expect(await replyTo({ model: 'demo/echo', messages: [user('  Grüße, 世界!')] })).toBe('Grüße, 世界!');
  });

  test('`slow` pauses between chunks', async () => {
    const answer = await replyTo({ model: 'demo/slow', messages: [user('Hi')] });
    expect(pauses).toEqual(answer.split(' ').map(() => 50));
  });

  test('it returns JSON for a schema', async () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer', minimum: 3 } } };
    expect(JSON.parse(await replyTo({ messages: [user('?')], schema }))).toEqual({ a: 3 });
  });

  const tools = [
    { name: 'time', description: 'The time.', parameters: { type: 'object', properties: {} } },
    {
      name: 'weather',
      description: 'The weather.',
      parameters: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
    },
  ];

  test.each([
    ['calls a tool that the user names', { messages: [user('What is the weather?')] }, 'weather'],
    [
      'calls the first tool where a call is required',
      { messages: [user('Well?')], toolChoice: 'required' as const },
      'time',
    ],
  ])('it %s', async (_, call, name) => {
    const items = await ask({ ...call, tools });
    expect(items).toMatchObject([
      { type: 'tool-call', call: { name } },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  test('it calls no tool where calls are forbidden, and none a second time', async () => {
    const none = await ask({ messages: [user('The weather?')], tools, toolChoice: 'none' });
    expect(none.some(({ type }) => type === 'tool-call')).toBe(false);
    const call = { id: 'c', name: 'weather', arguments: { city: 'Oslo' } };
    const messages: ChatMessage[] = [
      user('The weather?'),
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', content: 'Rain', toolCallId: 'c', name: 'weather' },
    ];
    expect(await replyTo({ messages, tools })).toContain('The tool weather answered: Rain');
  });

  test('it counts tokens, and stops at their limit or at a stop word', async () => {
    const messages = [user('one two three')];
    expect((await ask({ model: 'demo/echo', messages })).at(-1)).toMatchObject({
      usage: { inputTokens: 3, outputTokens: 3 },
    });
    const short = await ask({ model: 'demo/echo', messages, maxTokens: 2 });
    expect(textOf(short)).toBe('one two');
    expect(short.at(-1)).toMatchObject({ type: 'finish', reason: 'length', usage: { outputTokens: 2 } });
    expect(await replyTo({ model: 'demo/echo', messages, stop: ['three', 'two'] })).toBe('one ');
  });

  test('the same call returns the same items, whose texts form the whole text', async () => {
    const law = fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200 }), async (text) => {
      const call = { model: 'demo/echo', messages: [user(text)] };
      const first = await ask(call);
      expect(await ask(call)).toEqual(first);
      expect(textOf(first)).toBe(text.trim());
      for (const item of first)
        if (item.type === 'text') expect(item.text.isWellFormed() || !text.isWellFormed()).toBe(true);
    });
    await fc.assert(law, { numRuns: 100 });
  });
});

describe('a script', () => {
  test('determines the turns of the model', async () => {
    const lines = [
      'think A tool will know.',
      'call weather {"city": "$user"}',
      '---',
      'say It is $tool',
      'say in $user.',
      '---',
      'say No more.',
    ];
    const messages = [{ role: 'system', content: script(...lines) } as const, user('Oslo')];
    const first = await ask({ messages });
    expect(first).toMatchObject([
      ...['A', ' tool', ' will', ' know.'].map((text) => ({ type: 'reasoning', text })),
      { type: 'tool-call', call: { id: 'call_2_1', name: 'weather', arguments: { city: 'Oslo' } } },
      { type: 'finish', reason: 'tool-calls' },
    ]);
    const call = { id: 'call_2_1', name: 'weather', arguments: {} };
    const answered: ChatMessage[] = [
      ...messages,
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', content: 'rain', toolCallId: 'call_2_1' },
    ];
    expect(await replyTo({ messages: answered })).toBe('It is rain\nin Oslo.');
    const assistant: ChatMessage = { role: 'assistant', content: '' };
    for (const more of [[assistant], [assistant, assistant]])
      expect(await replyTo({ messages: [...answered, ...more] })).toBe('No more.');
  });

  test('of the user applies only to this message; one in the instructions has priority', async () => {
    const mine = user(`Well?\n${script('say Mine.')}`);
    expect(await replyTo({ messages: [mine] })).toBe('Mine.');
    const later = [mine, { role: 'assistant', content: 'Mine.' } as const, user('And now?')];
    expect(await replyTo({ messages: later })).toContain('You said: And now?');
    expect(await replyTo({ messages: [{ role: 'system', content: script('say Theirs.') }, mine] })).toBe(
      'Theirs.',
    );
  });

  test('fails with any error of the table, even in the middle', async () => {
    const items = models().chat(
      { model: undefined, messages: [user(script('say So far', 'fail model_rate_limited'))] },
      asker,
      new AbortController().signal,
    );
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const item of items) seen.push(item);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'model_rate_limited', transient: true });
    expect(seen).toHaveLength(2);
  });

  test('waits, and ends a wait with the reason of its signal', async () => {
    await ask(script('pace 30', 'say one two', 'wait 40'));
    expect(pauses).toEqual([30, 30, 40]);
    const reason = new Error('stop');
    const controller = new AbortController();
    const answer = answerOf(models(), script('wait 60000'), controller.signal);
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  test.each([
    ['dance', 'starts with say'],
    ['wait long', 'milliseconds'],
    ['wait 600001', 'milliseconds'],
    ['call', 'name of a tool'],
    ['call weather {city}', 'JSON'],
    ['fail nothing_like_it', 'nothing_like_it'],
  ])('with the line %j is refused, by its number', async (line, why) => {
    const failure = ask(script('say a', line));
    await expect(failure).rejects.toMatchObject({ code: 'model_refused' });
    await expect(failure).rejects.toThrow('Line 2');
    await expect(failure).rejects.toThrow(why);
  });
});

test('vectors are deterministic, of length 1, and near for texts with common words', async () => {
  const texts = ['A red car', 'a RED car!', 'a red bicycle', 'quantum physics', ''];
  const embed = () => models().embed({ model: undefined, texts }, asker, new AbortController().signal);
  const { vectors, usage } = await embed();
  expect((await embed()).vectors).toEqual(vectors);
  expect(usage.inputTokens).toBe(11);
  const near = (a: number, b: number): number =>
    (vectors[a] ?? []).reduce((sum, value, i) => sum + value * (vectors[b]?.[i] ?? 0), 0);
  for (const at of texts.keys()) expect(near(at, at)).toBeCloseTo(1);
  expect(near(0, 1)).toBeCloseTo(1);
  expect(near(0, 2)).toBeGreaterThan(near(0, 3));
});
