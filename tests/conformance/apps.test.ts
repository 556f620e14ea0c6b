import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Block, readBlocks } from '../../server/chat/service/testing/read-blocks.ts';
import { oneAgent, team } from './support/app-bodies.ts';
import { contentsOf } from './support/original-client.ts';
import { startWorld, type World } from './support/world.ts';

/** Apps, looked up and chatted with by the original's client and by OpenAI's. */
let world: World;
let teamCode: string;
let deskCode: string;

beforeAll(async () => {
  world = await startWorld();
  deskCode = await world.makeApp(oneAgent('Desk', 'demo/echo'));
  teamCode = await world.makeApp(team);
});
afterAll(() => world.close());

test('apps are listed, newest first, and each is the same object when it is read alone', async () => {
  const { data } = await world.original.play('list_apps');
  const { app_list: list } = data as { app_list: { app_code: string }[] };
  expect(list.map(({ app_code }) => app_code)).toEqual([teamCode, deskCode]);
  for (const app of list)
    expect(await world.original.play('get_app', { app: app.app_code })).toEqual({ status: 200, data: app });
  const nope = await world.original.play('get_app', { app: 'nope' });
  expect(nope).toMatchObject({ status: 404, error: { err_code: 'app_not_found' } });
});

/** It goes through an agent's answer, and is no block of it. */
const question = 'What now?\n```agent-messages\n[]\n```';

const chatApp = (code: string, more: object = {}) =>
  world.original.chat({
    model: 'demo/chat',
    messages: question,
    chat_mode: 'chat_app',
    chat_param: code,
    ...more,
  });

/** The plans and messages of an answer; the text of a plan is read as strictly as the answer itself. */
function readAnswer(text: string): { plans: Block['records']; messages: Block['records'] } {
  const of = (tag: string) =>
    readBlocks(text).flatMap((block) => (block.tag === tag ? [...block.records] : []));
  return { plans: of('agent-plans'), messages: of('agent-messages') };
}

const worked = [
  { num: 1, agent: 'Ada', status: 'complete' },
  { num: 2, agent: 'Bob', status: 'complete' },
];
const found = ['Hello, Ada "the" \\first, your age is 18', 'Grüße 🚀 "quoted"'];

function expectTeamAnswer(text: string): void {
  const { plans, messages } = readAnswer(text);
  const inOrder = plans.toSorted((a, b) => Number(a['num']) - Number(b['num']));
  expect(inOrder).toMatchObject(worked);
  for (const [at, plan] of inOrder.entries()) {
    const last = readAnswer(String(plan['markdown'])).messages.at(-1);
    expect(last).toMatchObject({ receiver: 'Planner', markdown: expect.stringContaining(String(found[at])) });
  }
  expect(messages).toMatchObject([{ sender: 'Planner', receiver: 'User' }]);
  for (const part of [...found, question]) expect(messages[0]?.['markdown']).toContain(part);
}

describe('a team that plans', () => {
  test('streams increments that put together are valid blocks, JSON within JSON', async () => {
    const played = await chatApp(teamCode);
    expect(played.rejected).toBeUndefined();
    const contents = contentsOf(played);
    expect(contents.length).toBeGreaterThan(5);
    expectTeamAnswer(contents.join(''));
  });

  test('streams whole answers, of which each is valid by itself and shows the plans go on', async () => {
    const contents = contentsOf(await chatApp(teamCode, { incremental: false }));
    const seen = new Set(contents.flatMap((text) => readAnswer(text).plans.map(({ status }) => status)));
    expect(seen).toEqual(new Set(['todo', 'running', 'complete']));
    expectTeamAnswer(contents.at(-1) ?? '');
  });

  test('answers in one piece', async () => {
    const { answer } = await chatApp(teamCode, { stream: false });
    expectTeamAnswer(answer?.choices[0].message.content ?? '');
    expect(answer?.usage['completion_tokens']).toBeGreaterThan(0);
  });

  test('gives the plain report where no blocks are wanted, to OpenAI’s client always', async () => {
    const plain = contentsOf(await chatApp(teamCode, { enable_vis: false })).join('');
    const messages = [{ role: 'user' as const, content: question }];
    const model = `app:${teamCode}`;
    const whole = await world.openai.chat.completions.create({ model, messages });
    let streamed = '';
    for await (const { choices } of await world.openai.chat.completions.create({
      model,
      messages,
      stream: true,
    }))
      streamed += choices[0]?.delta.content ?? '';
    for (const text of [plain, whole.choices[0]?.message.content, streamed]) {
      expect(text).not.toContain('agent-plans');
      for (const part of [...found, question]) expect(text).toContain(part);
    }
  });
});

test('one agent is one message, and a plan of one step, the question', async () => {
  const question = 'Tell "me"\n\\o/ 🚀';
  const text = contentsOf(await chatApp(deskCode, { messages: question })).join('');
  const said = {
    tag: 'agent-messages',
    records: [{ sender: 'Clerk', receiver: 'User', model: 'demo/echo', markdown: question }],
  };
  const [message, plan] = readBlocks(text);
  expect(message).toEqual(said);
  expect(plan).toMatchObject({
    tag: 'agent-plans',
    records: [{ name: question, num: 1, status: 'complete', agent: 'Clerk' }],
  });
  expect(readBlocks(String(plan?.records[0]?.['markdown']))).toEqual([said]);
});

test('a conversation with an app goes on', async () => {
  const ids: unknown[] = [];
  for (const messages of ['one', 'two'])
    ids.push((await chatApp(deskCode, { conv_uid: 'c-1', messages })).chunks?.[0]?.id);
  expect(ids).toEqual(['c-1', 'c-1']);
  const { answer } = await chatApp(deskCode, { stream: false, messages: 'three', conv_uid: 'c-1' });
  expect(answer?.id).toBe('c-1');
});
