import { describe, expect, test } from 'vitest';
import type { ChatItem } from '#shared/chat-item.ts';
import { asker } from '../../base/outbound/testing/ask.ts';
import { sendChunks, startOpenAi } from './testing/openai-server.ts';
import { findModel } from './find-model.ts';
import { answerOf, testModels } from './testing/test-models.ts';

const chat = (name: string) => ({ name, use: 'chat' as const });
const embedding = (name: string) => ({ name, use: 'embedding' as const });

describe('a name', () => {
  const models = () =>
    testModels({
      openrouter: { models: [chat('openai/gpt'), chat('shared')] },
      local: { models: [chat('llama'), chat('shared'), embedding('vectors')] },
    });

  test.each([
    ['local/llama', 'local/llama'],
    ['llama', 'local/llama'],
    ['openai/gpt', 'openrouter/openai/gpt'],
    ['openrouter/openai/gpt', 'openrouter/openai/gpt'],
    ['demo/echo', 'demo/echo'],
    [undefined, 'local/llama'],
  ])('%s means %s', (name, id) => {
    expect(models().find(name).id).toBe(id);
  });

  test('that is unknown is an error that names the nearest', () => {
    expect(() => models().find('local/lama')).toThrow(
      expect.objectContaining({
        code: 'model_not_found',
        message: expect.stringContaining('did you mean local/llama?'),
      }),
    );
  });

  test('that several providers have is an error that names them', () => {
    expect(() => models().find('shared')).toThrow('local/shared, openrouter/shared');
  });

  test('for the other use is an error as well', () => {
    expect(() => models().find('local/vectors')).toThrow('for chat');
    expect(() => models().find('local/llama', 'embedding')).toThrow('for embedding');
    expect(models().find(undefined, 'embedding').id).toBe('local/vectors');
  });

  test('that is unknown without a near one lists the models for this use', () => {
    expect(() => testModels().find('gpt')).toThrow(
      'There is no model gpt for chat; there are demo/chat, demo/echo, demo/slow.',
    );
    expect(() => findModel([], undefined, 'embedding')).toThrow(
      'There is no model for embedding; list one in the `models` of a provider.',
    );
  });

  test('that is unknown fails a call before its first item', async () => {
    await expect(answerOf(models(), { model: 'nothing' })).rejects.toMatchObject({ code: 'model_not_found' });
    const { signal } = new AbortController();
    await expect(models().embed({ model: 'nothing', texts: [] }, asker, signal)).rejects.toMatchObject({
      code: 'model_not_found',
    });
  });
});

describe('the default', () => {
  test('is the demo where nothing is configured', () => {
    const listed = testModels().list();
    expect(listed.filter((model) => model.default).map(({ id }) => id)).toEqual(['demo/chat', 'demo/embed']);
  });

  test('is the preferred model where there is one', () => {
    const some = { local: { models: [chat('a'), chat('b')] } };
    expect(testModels(some, 'local/b').find(undefined).id).toBe('local/b');
    expect(testModels(some, 'demo/echo').find(undefined).id).toBe('demo/echo');
  });

  test('is not replaced where the preferred model does not exist', () => {
    expect(() => testModels({}, 'local/b').find(undefined)).toThrow('There is no model local/b');
  });
});

describe('an answer by a schema', () => {
  const schema = { type: 'object', required: ['a'], properties: { a: { type: 'number' } } };
  const answering = async (text: string, finish = 'stop'): Promise<ChatItem[]> => {
    const server = await startOpenAi((response) => sendChunks(response, [{ content: text }], finish));
    const models = testModels({ local: { baseUrl: server.url } });
    return await answerOf(models, { messages: [{ role: 'user', content: '?' }], schema });
  };

  test('passes if it fits the schema', async () => {
    expect((await answering('{"a": 1}')).at(-1)).toMatchObject({ type: 'finish' });
  });

  test.each([
    ['is no JSON', 'Sure! {"a": 1}', 'not JSON'],
    ['does not fit the schema', '{"a": "one"}', '/a must be number'],
    ['lacks a field', '{}', 'the value must have'],
  ])('fails before its end if it %s', async (_, text, why) => {
    const failure = answering(text);
    await expect(failure).rejects.toMatchObject({ code: 'model_bad_answer', transient: true });
    await expect(failure).rejects.toThrow(why);
  });

  test('that was cut off reports only that', async () => {
    expect((await answering('{"a"', 'length')).at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
  });

  test('with a schema that is none fails with what is wrong', async () => {
    const asked = { messages: [{ role: 'user', content: '?' } as const], schema: { type: 'nothing' } };
    await expect(answerOf(testModels(), asked)).rejects.toMatchObject({ code: 'bad_params' });
  });
});
