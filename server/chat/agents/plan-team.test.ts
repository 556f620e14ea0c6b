import { describe, expect, test } from 'vitest';
import { type ModelCall, WeftError } from '#engine';
import type { AgentPlan, ChatItem } from '#shared/chat-item.ts';
import { createAgentBed, testApp, testDetail } from './testing/agent-bed.ts';
import { HANG, type Piece, scriptedModels } from './testing/scripted-models.ts';

const apps = [testApp({ team_mode: 'auto_plan', details: [testDetail('Ada'), testDetail('Bob')] })];

/** The part of the team's work that a model call belongs to. */
function partOf({ schema, messages }: ModelCall): string {
  if (schema) return 'plan';
  const last = messages.at(-1)?.content ?? '';
  return /Your part: (.*)$/.exec(last)?.[1] ?? 'report';
}

const planOf = (...steps: readonly [name: string, agent: string, ...dependsOn: number[]][]): Piece[] => [
  JSON.stringify({ steps: steps.map(([name, agent, ...dependsOn]) => ({ name, agent, dependsOn })) }),
];

const plansIn = (items: readonly ChatItem[]): AgentPlan[] =>
  items.flatMap((item) => (item.type === 'plan' ? [item.plan] : []));
const statusesOf = (items: readonly ChatItem[], num: number): string[] =>
  plansIn(items).flatMap((plan) => (plan.num === num ? [plan.status] : []));

describe('a team with a plan', () => {
  test('executes the plan and reports: each plan as a record, then the answer of the planner', async () => {
    const { models, calls } = scriptedModels((call) => {
      const part = partOf(call);
      if (part === 'plan') return planOf(['look', 'Ada'], ['count', 'Bob'], ['write', 'Ada', 1, 2]);
      return part === 'report' ? ['All ', 'done.'] : [`${part} is done`];
    });
    const { ask } = await createAgentBed({ models, apps });
    const { items, text, error } = await ask({ app: 'demo' }, 'Tell me.');
    expect(error).toBeUndefined();
    expect(text).toBe('All done.');
    expect(statusesOf(items, 1)).toEqual(['todo', 'running', 'complete']);
    expect(statusesOf(items, 3)).toEqual(['waiting', 'running', 'complete']);
    expect(plansIn(items).findLast(({ num }) => num === 3)).toEqual({
      name: 'write',
      num: 3,
      status: 'complete',
      agent: 'Ada',
      messages: [
        { sender: 'Planner', receiver: 'Ada', model: 'test/default', markdown: 'write' },
        { sender: 'Ada', receiver: 'Planner', model: 'default', markdown: 'write is done' },
      ],
    });
    const write = calls.find((call) => partOf(call) === 'write');
    expect(write?.messages).toEqual([
      { role: 'system', content: 'You are Ada.' },
      {
        role: 'user',
        content:
          'The user asked: Tell me.\n\nResult of “look”:\nlook is done\n\nResult of “count”:\ncount is done\n\nYour part: write',
      },
    ]);
    expect(items.slice(-4)).toEqual([
      { type: 'speaker', sender: 'Planner', receiver: 'User', model: 'test/default' },
      { type: 'text', text: 'All ' },
      { type: 'text', text: 'done.' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 50, outputTokens: 25 }, model: 'default' },
    ]);
  });

  test('executes independent steps at the same time', async () => {
    const { models, peak } = scriptedModels((call) => {
      const part = partOf(call);
      if (part === 'plan')
        return planOf(['a', 'Ada'], ['b', 'Bob'], ['c', 'Ada'], ['d', 'Bob'], ['e', 'Ada']);
      return part === 'report' ? ['Done'] : ['1', '2', '3'];
    });
    const { ask } = await createAgentBed({ models, apps });
    expect((await ask({ app: 'demo' })).text).toBe('Done');
    expect(peak()).toBe(4);
  });

  test('is planned with another model if the first one is down: the caller’s, then those of the agents', async () => {
    const details = [
      testDetail('Ada', { llm_strategy: 'priority', llm_strategy_value: 'down' }),
      testDetail('Bob', { llm_strategy: 'priority', llm_strategy_value: 'up' }),
    ];
    const { models, calls } = scriptedModels((call) => {
      if (call.model === 'down') return [new WeftError('model_unavailable', 'Away.')];
      return partOf(call) === 'plan' ? planOf(['a', 'Bob']) : ['Done'];
    });
    const { ask } = await createAgentBed({ models, apps: [testApp({ team_mode: 'auto_plan', details })] });
    expect((await ask({ app: 'demo' })).text).toBe('Done');
    const planning = () => calls.filter((call) => partOf(call) === 'plan').map(({ model }) => model);
    expect(planning()).toEqual(['down', 'up']);
    await ask({ app: 'demo' }, { messages: [{ role: 'user', content: 'Hi' }], model: 'mine' });
    expect(planning().slice(2)).toEqual([models.find('mine').id]);
  });

  test('a plan that cannot be executed is requested once more, with its problems', async () => {
    const { models, calls } = scriptedModels((call, at) => {
      if (at === 1) return planOf(['a', 'Eve']);
      return partOf(call) === 'plan' ? planOf(['a', 'Ada']) : ['Done'];
    });
    const { ask } = await createAgentBed({ models, apps });
    expect((await ask({ app: 'demo' })).text).toBe('Done');
    expect(calls[1]?.messages.at(-1)?.content).toContain('there is no agent `Eve`; the agents are Ada, Bob');
  });

  test('fails when the second plan is no better', async () => {
    const { models, calls } = scriptedModels(() => ['I would rather not.']);
    const { ask } = await createAgentBed({ models, apps });
    const { error, items } = await ask({ app: 'demo' });
    expect(error).toMatchObject({ code: 'agent_failed', message: expect.stringContaining('no plan') });
    expect(calls).toHaveLength(2);
    expect(items).toEqual([]);
  });

  test('retries a step after a transient failure, and reports it as `retrying`', async () => {
    let tries = 0;
    const { models } = scriptedModels((call) => {
      const part = partOf(call);
      if (part === 'plan') return planOf(['a', 'Ada']);
      if (part === 'report') return ['Done'];
      return ++tries === 1 ? [new WeftError('model_unavailable', 'Away.')] : ['ok'];
    });
    const { ask } = await createAgentBed({ models, apps });
    const { items, text } = await ask({ app: 'demo' });
    expect(text).toBe('Done');
    expect(statusesOf(items, 1)).toEqual(['todo', 'running', 'retrying', 'running', 'complete']);
  });

  test('a permanent failure fails the step and its dependents, and is passed to the report', async () => {
    const { models, calls } = scriptedModels((call) => {
      const part = partOf(call);
      if (part === 'plan') return planOf(['a', 'Ada'], ['b', 'Bob', 1], ['c', 'Bob']);
      if (part === 'a') return [new WeftError('model_refused', 'No such key.')];
      return part === 'report' ? ['Partly done'] : ['ok'];
    });
    const { ask } = await createAgentBed({ models, apps });
    const { items, text } = await ask({ app: 'demo' });
    expect(text).toBe('Partly done');
    expect(statusesOf(items, 1)).toEqual(['todo', 'running', 'failed']);
    expect(statusesOf(items, 2)).toEqual(['waiting', 'failed']);
    expect(statusesOf(items, 3)).toEqual(['todo', 'running', 'complete']);
    const report = calls.at(-1)?.messages.at(-1)?.content;
    expect(report).toContain('1. a (Ada, failed):\nNo such key.');
    expect(report).toContain('2. b (Bob, failed):\nIt needs the result of “a”, which failed.');
    expect(report).toContain('3. c (Bob):\nok');
  });

  test('fails when no step succeeded', async () => {
    const { models } = scriptedModels((call) =>
      partOf(call) === 'plan' ? planOf(['a', 'Ada']) : [new WeftError('model_refused', 'No such key.')],
    );
    const { ask } = await createAgentBed({ models, apps });
    expect((await ask({ app: 'demo' })).error).toMatchObject({
      code: 'agent_failed',
      message: 'No step of the plan could be done. “a”: No such key.',
    });
  });

  test('an exhausted budget ends all steps and reports them as failed', async () => {
    const { models, active } = scriptedModels((call) =>
      partOf(call) === 'plan'
        ? planOf(['a', 'Ada'], ['b', 'Bob'], ['c', 'Bob', 2])
        : ['word '.repeat(9), HANG],
    );
    const { ask } = await createAgentBed({ models, apps });
    const { items, error } = await ask({ app: 'demo', budget: { timeMs: 60 } });
    expect(error).toMatchObject({ code: 'agent_budget' });
    expect([1, 2, 3].map((num) => statusesOf(items, num).at(-1))).toEqual(['failed', 'failed', 'failed']);
    expect(active()).toBe(0);
  });

  test('an agent called Planner writes the plan and the report, with its own prompt and model', async () => {
    const chief = testDetail('planner', {
      prompt_template: 'You are the chief.',
      llm_strategy: 'priority',
      llm_strategy_value: 'big',
    });
    const team = [testApp({ team_mode: 'auto_plan', details: [testDetail('Ada'), chief] })];
    const { models, calls } = scriptedModels((call) =>
      partOf(call) === 'plan' ? planOf(['a', 'Ada']) : ['Done'],
    );
    const { ask } = await createAgentBed({ models, apps: team });
    await ask({ app: 'demo' });
    expect(calls.map(({ model }) => model)).toEqual(['big', undefined, 'big']);
    expect(calls[0]?.messages[0]?.content).toMatch(/^You are the chief\.[^]*- Ada: You are Ada\./);
    expect(calls[0]?.messages[0]?.content).not.toContain('- planner');
  });
});
