import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBlocks } from '../server/chat/testing/read-blocks.ts';
import { discard, root, startServer, tempFolder, type TestServer } from './support/server.ts';

/** The service as a client sees it that sends and reads exactly as the original's does. */
const KEY = 'key-of-the-python-client';
const run = promisify(execFile);

interface Result {
  readonly status: number;
  readonly chunks?: readonly {
    readonly id: string;
    readonly choices: readonly [
      { readonly delta: { readonly content?: string }; readonly finish_reason: string | null },
    ];
    readonly error?: { readonly code: string };
  }[];
  readonly answer?: {
    readonly id: string;
    readonly choices: readonly [{ readonly message: { readonly content: string } }];
  };
  readonly error?: { readonly err_code: string; readonly err_msg: string };
}

let server: TestServer;
beforeAll(async () => {
  const flows = tempFolder('flows');
  writeFileSync(join(flows, 'greet.json'), JSON.stringify(greet));
  writeFileSync(join(flows, 'remembers.json'), JSON.stringify(remembers));
  writeFileSync(join(flows, 'team.json'), JSON.stringify(team));
  server = await startServer({ flows, env: { WEFT_API_KEYS: KEY, WEFT_EDITOR: 'off' } });
});
afterAll(() => discard(server));

async function chat(fields: object, key = KEY): Promise<Result> {
  const program = join(root, 'tests/support/chat-client.py');
  const { stdout } = await run('python3', [program, server.url, key, JSON.stringify(fields)]);
  return JSON.parse(stdout) as Result;
}

const contents = ({ chunks = [] }: Result): string[] =>
  chunks.flatMap(({ choices: [{ delta }] }) => delta.content ?? []);

const greet = {
  format: 1,
  id: 'greet',
  nodes: {
    chat: { operator: 'trigger.chat' },
    say: { operator: 'core.map', params: { value: 'Hello, {{ input.text }}!' } },
  },
  edges: [{ from: 'chat.out', to: 'say.in' }],
};

const remembers = {
  ...greet,
  id: 'remembers',
  nodes: {
    ...greet.nodes,
    say: {
      operator: 'core.map',
      params: { value: '{{ input.history.map((one) => one.content).join("; ") }} + {{ input.text }}' },
    },
  },
};

const message = { sender: 'Planner', receiver: 'Worker', model: null, markdown: 'Do "it".\nNow.' };
const planned = (status: string) => ({
  type: 'plan',
  plan: { name: 'goal', num: 1, status, agent: 'Worker', messages: [message] },
});

/** Says what a team of agents says. */
const team = {
  format: 1,
  id: 'team',
  nodes: {
    chat: { operator: 'trigger.chat' },
    items: {
      operator: 'core.map',
      params: {
        value: [
          planned('running'),
          planned('complete'),
          { type: 'speaker', sender: 'Planner', receiver: 'User', model: 'demo/echo' },
          { type: 'text', text: 'It is "done"' },
          { type: 'text', text: '\n🚀' },
        ],
      },
    },
    stream: { operator: 'core.streamify' },
  },
  edges: [
    { from: 'chat.out', to: 'items.in' },
    { from: 'items.out', to: 'stream.in' },
  ],
};

describe('a chat with a model', () => {
  test('is streamed in increments', async () => {
    const result = await chat({ model: 'demo/echo', messages: 'Grüße an alle', conv_uid: 'c-1' });
    expect(contents(result).join('')).toBe('Grüße an alle');
    expect(contents(result).length).toBeGreaterThan(1);
    expect(result.chunks?.every(({ id }) => id === 'c-1')).toBe(true);
    const reasons = result.chunks?.map(({ choices: [{ finish_reason }] }) => finish_reason);
    expect(reasons?.pop()).toBe('stop');
    expect(new Set(reasons)).toEqual(new Set([null]));
  });

  test('is streamed as all there is so far', async () => {
    const all = contents(await chat({ model: 'demo/echo', messages: 'one two', incremental: false }));
    expect(all).toEqual(['one', 'one two']);
  });

  test('is answered in one piece', async () => {
    const { answer } = await chat({ model: 'demo/echo', messages: ['Hi'], stream: false });
    expect(answer?.choices[0].message.content).toBe('Hi');
    expect(answer?.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('says that it was cut', async () => {
    const { chunks } = await chat({ model: 'demo/echo', messages: 'a b c d', max_new_tokens: 2 });
    expect(chunks?.at(-1)?.choices[0].finish_reason).toBe('length');
  });
});

describe('a chat with a flow', () => {
  test('is its answer', async () => {
    const { answer } = await chat({
      model: 'x',
      messages: 'Ada',
      chat_mode: 'chat_flow',
      chat_param: 'greet',
      stream: false,
    });
    expect(answer?.choices[0].message.content).toBe('Hello, Ada!');
  });

  test('goes on with its conversation', async () => {
    const fields = { model: 'x', chat_mode: 'chat_flow', chat_param: 'remembers', conv_uid: 'c-2' };
    await chat({ ...fields, messages: 'One' });
    expect(contents(await chat({ ...fields, messages: 'Two' })).join('')).toBe('One;  + One + Two');
  });

  test('shows agents as blocks of valid JSON, in both ways of streaming', async () => {
    const fields = { model: 'x', messages: 'Go', chat_mode: 'chat_flow', chat_param: 'team' };
    const increments = contents(await chat(fields)).join('');
    const wholes = contents(await chat({ ...fields, incremental: false }));
    const blocks = readBlocks(increments);
    expect(blocks).toMatchObject([
      { tag: 'agent-plans', records: [{ name: 'goal', num: 1, status: 'complete', agent: 'Worker' }] },
      { tag: 'agent-messages', records: [{ sender: 'Planner', markdown: 'It is "done"\n🚀' }] },
    ]);
    expect(readBlocks(String(blocks[0]?.records[0]?.['markdown']))).toEqual([
      { tag: 'agent-messages', records: [message] },
    ]);
    for (const whole of wholes) readBlocks(whole);
    expect(wholes.at(-1)).toBe(increments);
    expect(wholes[0]).toContain('"status": "running"');
  });

  test('is plain text where no blocks are wanted', async () => {
    const fields = { chat_mode: 'chat_flow', chat_param: 'team', enable_vis: false };
    expect(contents(await chat({ model: 'x', messages: 'Go', ...fields })).join('')).toBe('It is "done"\n🚀');
  });
});

describe('an error', () => {
  test.each([
    [{ chat_mode: 'chat_app', chat_param: 'nope' }, 404, 'app_not_found'],
    [{ chat_mode: 'chat_flow', chat_param: 'nope' }, 404, 'flow_not_found'],
    [{ model: 'nope' }, 404, 'model_not_found'],
    [{ chat_mode: 'chat_app' }, 400, 'invalid_chat_param'],
    [{ chat_mode: 'chat_x', chat_param: 'x' }, 400, 'invalid_chat_mode'],
    [{ chat_mode: 'chat_knowledge', chat_param: 'x' }, 501, 'chat_mode_not_offered'],
    [{ messages: '```demo\nfail model_rate_limited\n```' }, 429, 'model_rate_limited'],
  ])('of %j has its status and the envelope, streamed or not', async (fields, status, code) => {
    for (const stream of [true, false]) {
      const result = await chat({ model: 'demo/chat', messages: 'Hi', stream, ...fields });
      expect([result.status, result.error?.err_code]).toEqual([status, code]);
    }
  });

  test('of a wrong key says what to send', async () => {
    const result = await chat({ model: 'demo/echo', messages: 'Hi' }, 'wrong');
    expect([result.status, result.error?.err_code]).toEqual([401, 'unauthorized']);
    expect(result.error?.err_msg).toContain('Bearer');
  });

  test('in a stream is a last chunk that this client can read', async () => {
    const result = await chat({
      model: 'demo/chat',
      messages: '```demo\nsay half\nfail model_unavailable\n```',
    });
    expect(contents(result).join('')).toBe('half');
    expect(result.chunks?.at(-1)).toMatchObject({
      choices: [{ delta: {}, finish_reason: 'stop' }],
      error: { code: 'model_unavailable' },
    });
  });
});
