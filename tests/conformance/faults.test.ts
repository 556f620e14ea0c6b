import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentOf, finishOf } from '../../server/chat/service/testing/read-stream.ts';
import { readBlocks } from '../../server/chat/service/testing/read-blocks.ts';
import { oneAgent } from './support/app-bodies.ts';
import { words } from './support/provider.ts';
import { startWorld, type World } from './support/world.ts';

/** What goes wrong at a provider, as both clients see it. */
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const said = words.join('');
const begun = words.slice(0, 2).join('');
const asked = (model: string) => ({ model: `real/${model}`, messages: 'Go' });
const askedOpenAi = (model: string) => ({
  model: `real/${model}`,
  messages: [{ role: 'user' as const, content: 'Go' }],
});

/** Faults before the first piece. */
const early: [string, number, string][] = [
  ['full', 429, 'model_rate_limited'],
  ['broken', 503, 'model_unavailable'],
  ['html', 502, 'model_bad_answer'],
];
/** Faults in the middle of an answer. */
const late: [string, number, string][] = [
  ['cut', 503, 'model_unavailable'],
  ['torn', 502, 'model_bad_answer'],
];

describe.each(early)('a provider that is %s', (model, status, code) => {
  test.each([true, false])('is a coded error for the original’s client, stream: %s', async (stream) => {
    const played = await world.original.chat({ ...asked(model), stream });
    expect(played).toMatchObject({ status, error: { err_code: code } });
    expect(played.error?.err_msg).not.toMatch(/ at |node_modules|<html/);
  });

  test.each([true, false])('is an error of OpenAI’s client, stream: %s', async (stream) => {
    const answer = world.openai.chat.completions.create({ ...askedOpenAi(model), stream });
    await expect(answer).rejects.toMatchObject({ status, code });
  });
});

test('the wait that a full provider asks for is passed on', async () => {
  const answer = world.openai.chat.completions.create(askedOpenAi('full'));
  const error = await answer.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(OpenAI.RateLimitError);
  expect((error as InstanceType<typeof OpenAI.RateLimitError>).headers.get('retry-after')).toBe('7');
});

describe.each(late)('an answer that is %s', (model, status, code) => {
  test('ends for the original’s client with a chunk that says so, behind what was said', async () => {
    const { chunks = [], rejected } = await world.original.chat(asked(model));
    expect(rejected).toBeUndefined();
    expect(contentOf(chunks)).toBe(begun);
    expect(chunks.at(-1)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }], error: { code } });
  });

  test('is thrown by OpenAI’s client behind what was said', async () => {
    const stream = await world.openai.chat.completions.create({ ...askedOpenAi(model), stream: true });
    let text = '';
    const reading = (async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    })();
    await expect(reading).rejects.toMatchObject({ code });
    expect(text).toBe(begun);
  });

  test('in one piece is an error, and no part of it', async () => {
    const played = await world.original.chat({ ...asked(model), stream: false });
    expect(played).toMatchObject({ status, error: { err_code: code } });
  });

  test('leaves the blocks of an agent closed', async () => {
    const app = await world.makeApp(oneAgent(`Agent ${model}`, `real/${model}`));
    const { chunks = [] } = await world.original.chat({
      ...asked(model),
      chat_mode: 'chat_app',
      chat_param: app,
    });
    expect(chunks.at(-1)?.error?.code).toBe(code);
    expect(readBlocks(contentOf(chunks))).toMatchObject([
      { tag: 'agent-messages', records: [{ sender: 'Clerk', markdown: begun }] },
      { tag: 'agent-plans', records: [{ agent: 'Clerk', status: 'failed' }] },
    ]);
  });
});

describe('what is no fault', () => {
  test('a slow provider is waited for', async () => {
    const { chunks = [] } = await world.original.chat(asked('slow'));
    expect(contentOf(chunks)).toBe(said);
  });

  test('an answer at its length says so to both clients', async () => {
    expect(finishOf((await world.original.chat(asked('long'))).chunks ?? [])).toBe('length');
    const { choices } = await world.openai.chat.completions.create(askedOpenAi('long'));
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: said } });
  });

  test('the next model of an agent answers where others are full or broken', async () => {
    const app = await world.makeApp(oneAgent('Patient', 'real/full,real/broken,real/fine'));
    const messages = [{ role: 'user' as const, content: 'Go' }];
    const { choices } = await world.openai.chat.completions.create({ model: `app:${app}`, messages });
    expect(choices[0]?.message.content).toBe(said);
  });
});
