import { describe, expect, test } from 'vitest';
import { rowFlow } from '../../execution/runs/testing/flow-bed.ts';
import { createMemoryState } from '../../execution/state/memory-state.ts';
import { createAgentBed, testApp, testDetail } from './testing/agent-bed.ts';
import { HANG, scriptedModels } from './testing/scripted-models.ts';

const agent = { name: 'Ada', prompt: '' };
const words = Array.from({ length: 100 }, (_, i) => `word${i} `);

describe('the budget of one answer', () => {
  test('of tokens ends it in the middle of the stream, with the text so far', async () => {
    const { models, active } = scriptedModels(() => words);
    const { ask } = await createAgentBed({ models });
    const { text, error } = await ask({ agent, budget: { tokens: 60 } });
    expect(error).toMatchObject({
      code: 'agent_budget',
      message: expect.stringContaining('at most 60 tokens'),
      data: { limit: 'tokens', most: 60, partial: text },
    });
    expect(text.length).toBeGreaterThan(50);
    expect(text.length).toBeLessThan(60 * 4);
    expect(active()).toBe(0);
  });

  test('a question that is too long for it is not sent at all', async () => {
    const { models, calls } = scriptedModels(() => ['Yes']);
    const { ask } = await createAgentBed({ models });
    const { error } = await ask({ agent, budget: { tokens: 100 } }, 'long '.repeat(200));
    expect(error).toMatchObject({ code: 'agent_budget' });
    expect(calls).toHaveLength(0);
  });

  test('of steps ends it before the next call of a model', async () => {
    const echo = rowFlow('echo', { map: { operator: 'core.map', params: { value: 1 } } });
    const { models, calls } = scriptedModels(() => ['On. ', { call: 'echo' }]);
    const { ask } = await createAgentBed({ models, flows: [echo] });
    const own = { ...agent, tools: [{ type: 'flow', name: 'echo', value: 'echo' }] };
    const { text, error } = await ask({ agent: own, budget: { steps: 3 } });
    expect(calls).toHaveLength(3);
    expect(text).toBe('On. On. On. ');
    expect(error).toMatchObject({ code: 'agent_budget', data: { limit: 'steps', most: 3 } });
  });

  test('of money counts by the prices of the models; a complete answer does not fail afterwards', async () => {
    const echo = rowFlow('echo', { map: { operator: 'core.map', params: { value: 1 } } });
    const { models } = scriptedModels((_, at) => (at === 1 ? [{ call: 'echo' }] : ['Done.']));
    const { ask } = await createAgentBed({ models, flows: [echo] });
    const own = { ...agent, model: 'priced', tools: [{ type: 'flow', name: 'echo', value: 'echo' }] };
    // A call uses 10 tokens in at 1 and 5 out at 2: a cost of 20.
    expect((await ask({ agent: own, budget: { cost: 19 } })).error).toMatchObject({
      data: { limit: 'cost', most: 19, used: 20 },
    });
    expect((await ask({ agent: { ...own, tools: [] }, budget: { cost: 19 } })).error).toBeUndefined();
  });

  test('of time ends an answer that hangs', async () => {
    const { models, active } = scriptedModels(() => ['So ', HANG]);
    const { ask } = await createAgentBed({ models });
    const { text, error } = await ask({ agent, budget: { timeMs: 30 } });
    expect(text).toBe('So ');
    expect(error).toMatchObject({ code: 'agent_budget', data: { limit: 'time', most: 30, partial: 'So ' } });
    expect(active()).toBe(0);
  });
});

describe('budgets of a day', () => {
  const apps = [testApp({ details: [testDetail('Bob')] })];
  const DAY = 86_400_000;

  test('of an app are shared by its answers, and start again the next day', async () => {
    let now = Date.parse('2026-05-01T12:00:00Z');
    const { models } = scriptedModels(() => ['Yes']);
    const state = createMemoryState(() => now);
    const budgets = { apps: { '*': { tokens: 30 } } };
    const { ask } = await createAgentBed({ models, apps, budgets, state, now: () => now });
    expect((await ask({ app: 'demo' })).error).toBeUndefined();
    expect((await ask({ app: 'demo' })).error).toMatchObject({
      code: 'agent_budget',
      message: expect.stringContaining('The app demo today may use at most 30 tokens; 15 were used'),
    });
    now += DAY;
    expect((await ask({ app: 'demo' })).error).toBeUndefined();
  });

  test('continue to count over a restart', async () => {
    const { models } = scriptedModels(() => ['Yes']);
    const state = createMemoryState(Date.now);
    const parts = { models, apps, state, budgets: { apps: { demo: { steps: 2 } } } };
    const before = await createAgentBed(parts);
    expect((await before.ask({ app: 'demo' })).error).toBeUndefined();
    const after = await createAgentBed(parts);
    expect((await after.ask({ app: 'demo' })).error).toBeUndefined();
    expect((await after.ask({ app: 'demo' })).error).toMatchObject({ code: 'agent_budget' });
  });

  test('of a key apply to every app that it asks; other keys are not affected', async () => {
    const { models } = scriptedModels(() => ['Yes']);
    const bed = await createAgentBed({ models, apps, budgets: { keys: { ci: { steps: 1 } } } });
    expect((await bed.ask({ app: 'demo' }, 'Hi', 'key ci')).error).toBeUndefined();
    expect((await bed.ask({ agent }, 'Hi', 'key ci')).error?.message).toContain('The key ci today');
    expect((await bed.ask({ app: 'demo' }, 'Hi', 'other')).error).toBeUndefined();
  });

  test('of all keys apply to one that is named like a property of every object', async () => {
    const { models } = scriptedModels(() => ['Yes']);
    const bed = await createAgentBed({ models, apps, budgets: { keys: { '*': { steps: 1 } } } });
    const ask = () => bed.ask({ agent }, 'Hi', 'key constructor');
    expect((await ask()).error).toBeUndefined();
    expect((await ask()).error).toMatchObject({ code: 'agent_budget' });
  });

  test('of a key count the calls of agents in the flow of an app once', async () => {
    const { models } = scriptedModels(() => ['Yes']);
    const inner = rowFlow('inner', { agents: { operator: 'agent.run', params: { agent } } });
    const layout = testApp({ team_mode: 'awel_layout', team_context: 'inner' });
    const budgets = { keys: { ci: { steps: 2 } } };
    const bed = await createAgentBed({ models, flows: [inner], apps: [layout], budgets });
    const ask = async () => (await bed.ask({ app: 'demo' }, 'Hi', 'key ci')).error?.code;
    expect([await ask(), await ask(), await ask()]).toEqual([undefined, undefined, 'agent_budget']);
  });

  test('simultaneous answers cannot use it twice', async () => {
    const { models, calls } = scriptedModels(() => ['Yes']);
    const bed = await createAgentBed({ models, apps, budgets: { apps: { demo: { steps: 3 } } } });
    const all = await Promise.all(Array.from({ length: 8 }, () => bed.ask({ app: 'demo' })));
    expect(calls.length).toBe(3);
    expect(all.filter(({ error }) => error === undefined)).toHaveLength(3);
  });
});
