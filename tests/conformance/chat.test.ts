import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBlocks } from '../../server/chat/service/testing/read-blocks.ts';
import { oneAgent } from './support/app-bodies.ts';
import { chatFlows, message } from './support/chat-flows.ts';
import { contentsOf, startOriginalClient } from './support/original-client.ts';
import { startWorld, type World } from './support/world.ts';

/** Chat as the original's client sends and reads it, in each of its modes. */
let world: World;
let app: string;

beforeAll(async () => {
  world = await startWorld(chatFlows);
  app = await world.makeApp(oneAgent('Desk', 'demo/echo'));
});
afterAll(() => world.close());

/** What a client for the newest server sends besides. */
const newer = {
  max_tokens: null,
  top_p: 1,
  top_k: -1,
  n: 1,
  stop: null,
  user: null,
  repetition_penalty: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
};

const chat = (fields: object) => world.original.chat({ model: 'demo/echo', ...fields });
const inFlow = (flow: string, more: object = {}) =>
  chat({ messages: 'Ada', chat_mode: 'chat_flow', chat_param: flow, ...more });

describe('each mode answers each way of asking', () => {
  const modes: [string, () => object, string][] = [
    ['chat_normal', () => ({ chat_mode: 'chat_normal' }), 'Grüß "Gott" 🚀'],
    ['no mode', () => ({ chat_mode: null }), 'Grüß "Gott" 🚀'],
    ['chat_app', () => ({ chat_mode: 'chat_app', chat_param: app }), 'Grüß "Gott" 🚀'],
    ['chat_flow', () => ({ chat_mode: 'chat_flow', chat_param: 'greet' }), 'Hello, Grüß "Gott" 🚀!'],
  ];

  test.each(modes)('%s', async (_, mode, said) => {
    const asked = { ...mode(), messages: 'Grüß "Gott" 🚀' };
    const plain = { ...asked, enable_vis: false };
    expect(contentsOf(await chat(plain)).join('')).toBe(said);
    expect(contentsOf(await chat({ ...plain, incremental: false })).at(-1)).toBe(said);
    expect((await chat({ ...plain, stream: false })).answer?.choices[0].message.content).toBe(said);
    const blocks = contentsOf(await chat(asked)).join('');
    expect(contentsOf(await chat({ ...asked, incremental: false })).at(-1)).toBe(blocks);
    expect((await chat({ ...asked, stream: false })).answer?.choices[0].message.content).toBe(blocks);
  });

  test.each(modes)(
    '%s, with switches as texts, a list of messages, and fields of later versions',
    async (_, mode, said) => {
      const texts = {
        incremental: 'no',
        enable_vis: 'false',
        messages: ['Before', 'Grüß "Gott" 🚀'],
        ...newer,
      };
      expect(contentsOf(await chat({ ...mode(), ...texts })).at(-1)).toBe(said);
    },
  );
});

describe('a stream', () => {
  test('has the conversation as its id, and an end', async () => {
    const { chunks = [] } = await chat({ messages: 'one two three', conv_uid: 'c-1' });
    expect(chunks.length).toBeGreaterThan(3);
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set(['c-1']));
    const reasons = chunks.map(({ choices }) => choices[0]?.finish_reason);
    expect(reasons.pop()).toBe('stop');
    expect(new Set(reasons)).toEqual(new Set([null]));
  });

  test('without one gets a UUID, the same in all its chunks', async () => {
    const { chunks = [] } = await chat({ messages: 'one two' });
    const ids = new Set(chunks.map(({ id }) => id));
    expect([...ids]).toEqual([expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)]);
  });

  test('is all there is so far in each chunk, where the client wants that', async () => {
    expect(contentsOf(await chat({ messages: 'one two', incremental: false }))).toEqual(['one', 'one two']);
  });

  test('stays in one piece where its text or its name has what Python takes for a line end', async () => {
    const { chunks = [], rejected } = await chat({
      messages: 'one\u2028two \u0085three\u2029four',
      conv_uid: 'c\u2028',
    });
    expect(rejected).toBeUndefined();
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
      'one\u2028two \u0085three\u2029four',
    );
    expect(chunks[0]?.id).toBe('c\u2028');
  });

  test('says that it was cut', async () => {
    const { chunks } = await chat({ messages: 'a b c d', max_new_tokens: 2 });
    expect(chunks?.at(-1)?.choices[0]?.finish_reason).toBe('length');
  });

  test('that is left is a run that ends', async () => {
    const left = await world.original.play('chat', {
      fields: { model: 'demo/chat', messages: '```demo\npace 100\nsay a b c d e f g h i j k l m n o p\n```' },
      take: 1,
    });
    await expect
      .poll(async () => (await world.owner.data<{ status: string }>('GET', `/runs/${left.run}`)).status)
      .toBe('cancelled');
  });
});

describe('a chat with a flow', () => {
  test('goes on with its conversation', async () => {
    await inFlow('remembers', { conv_uid: 'c-2', messages: 'One' });
    const second = await inFlow('remembers', { conv_uid: 'c-2', messages: 'Two' });
    expect(contentsOf(second).join('')).toBe('One;  + One + Two');
  });

  test('shows agents as blocks of valid JSON, in both ways of streaming', async () => {
    const increments = contentsOf(await inFlow('team')).join('');
    const wholes = contentsOf(await inFlow('team', { incremental: false }));
    const blocks = readBlocks(increments);
    expect(blocks).toMatchObject([
      { tag: 'agent-plans', records: [{ name: 'goal', num: 1, status: 'complete', agent: 'Worker' }] },
      { tag: 'agent-messages', records: [{ sender: 'Planner', markdown: 'It is "done"\n🚀' }] },
    ]);
    expect(readBlocks(String(blocks[0]?.records[0]?.['markdown']))).toEqual([
      { tag: 'agent-messages', records: [{ ...message, model: '' }] },
    ]);
    for (const whole of wholes) readBlocks(whole);
    expect(wholes.at(-1)).toBe(increments);
    expect(wholes[0]).toContain('"status": "running"');
  });

  test('is plain text where no blocks are wanted', async () => {
    expect(contentsOf(await inFlow('team', { enable_vis: false })).join('')).toBe('It is "done"\n🚀');
  });
});

describe('an error', () => {
  test.each([
    [{ chat_mode: 'chat_app', chat_param: 'nope' }, 404, 'app_not_found'],
    [{ chat_mode: 'chat_flow', chat_param: 'nope' }, 404, 'flow_not_found'],
    [{ model: 'nope' }, 404, 'model_not_found'],
    [{ chat_mode: 'chat_app' }, 400, 'invalid_chat_param'],
    [{ chat_mode: 'chat_flow' }, 400, 'invalid_chat_param'],
    [{ chat_mode: '' }, 400, 'invalid_chat_mode'],
    [{ chat_mode: 'chat_x', chat_param: 'x' }, 400, 'invalid_chat_mode'],
    [{ chat_mode: 'chat_knowledge', chat_param: 'x' }, 404, 'space_not_found'],
    [{ chat_mode: 'chat_data', chat_param: 'x' }, 404, 'connection_not_found'],
    [{ chat_mode: 'chat_dashboard', chat_param: 'x' }, 501, 'chat_mode_not_offered'],
    [{ model: null }, 400, 'invalid_request'],
    [{ messages: null }, 400, 'invalid_request'],
    [{ temperature: 'warm' }, 400, 'invalid_request'],
  ])('of %j has its status and the envelope, streamed or not', async (fields, status, code) => {
    for (const stream of [true, false]) {
      const played = await chat({ messages: 'Hi', stream, ...fields });
      expect([played.status, played.error?.err_code]).toEqual([status, code]);
    }
  });

  test('of a wrong key says what to send, before it looks at the body', async () => {
    const stranger = startOriginalClient(world.server.url, 'wrong');
    const played = await stranger.chat({ model: null });
    stranger.close();
    expect([played.status, played.error?.err_code]).toEqual([401, 'unauthorized']);
    expect(played.error?.err_msg).toContain('Bearer');
  });
});
