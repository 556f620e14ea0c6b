import { expect, test } from 'vitest';
import type { AgentBudgets } from '#shared/agent-budget.ts';
import { sayAll, startChatBed } from './testing/chat-bed.ts';
import { chunksOf, contentOf } from './testing/read-stream.ts';

/** Budgets apply to every chat with a key, even without agents. */
const words = Array.from({ length: 200 }, (_, i) => `word${i} `);

async function bedWith(budgets: Partial<AgentBudgets>) {
  let asked = 0;
  const bed = await startChatBed({
    model() {
      asked++;
      return sayAll(words);
    },
  });
  await bed.ctx.budgets.set({ answer: {}, apps: {}, keys: {}, ...budgets });
  return { ...bed, asked: () => asked };
}

const question = { model: 'test/model', messages: 'Hi', enable_vis: false };

test('the budget of an answer ends a chat with a model midway, with the text so far', async () => {
  const bed = await bedWith({ answer: { tokens: 50 } });
  const chunks = chunksOf(await (await bed.chat(question)).text());
  expect(chunks.at(-1)?.error).toMatchObject({ code: 'agent_budget' });
  const text = contentOf(chunks);
  expect(text.length).toBeGreaterThan(50);
  expect(text.length).toBeLessThan(50 * 5);
  const whole = await bed.chat({ ...question, stream: false });
  expect((await whole.json()) as object).toMatchObject({ err_code: 'agent_budget' });
});

test('the budget of a key counts over its chats, separately from other keys', async () => {
  const bed = await bedWith({ keys: { '*': { steps: 2 } } });
  const ask = async (headers = {}) => (await bed.chat({ ...question, stream: false }, { headers })).status;
  expect([await ask(), await ask()]).toEqual([200, 200]);
  const refused = await bed.chat({ ...question, stream: false });
  expect(await refused.json()).toMatchObject({ err_code: 'agent_budget' });
  expect(bed.asked(), 'nothing is sent').toBe(2);
  expect(await ask({ authorization: 'Bearer another-key-of-the-tests' })).toBe(200);
});

test('without budgets nothing is counted', async () => {
  const bed = await bedWith({});
  expect(contentOf(chunksOf(await (await bed.chat(question)).text()))).toBe(words.join(''));
});
