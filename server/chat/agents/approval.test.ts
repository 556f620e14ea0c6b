import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ModelCall } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import type { FlowNode } from '#shared/flow.ts';
import { createHost } from '../../base/adapters/node-host.ts';
import { createOutbound } from '../../base/outbound/outbound.ts';
import {
  createWorld,
  durableFlow,
  effectNode,
  type Process,
  until,
  waitNode,
  type World,
} from '../../execution/durable/testing/durable-bed.ts';
import { openOnSqlite } from '../../execution/durable/testing/open-on-sqlite.ts';
import { createMemoryState } from '../../execution/state/memory-state.ts';
import { createAccounts } from './accounts.ts';
import { createAgents } from './agents.ts';
import { type Piece, scriptedModels } from './testing/scripted-models.ts';

let world: World;
let process: Process;
let calls: ModelCall[];
let script: (call: ModelCall) => readonly Piece[];

const AT = '2026-01-01T00:00:00.000Z';
const decided = (decision: string, more: object = {}): object => ({
  decision,
  by: 'Ada',
  via: 'key',
  at: AT,
  comment: '',
  ...more,
});

beforeEach(async () => {
  const scripted = scriptedModels((call) => script(call));
  calls = scripted.calls;
  const host = createHost();
  const http = createOutbound({ allow: [] });
  world = await createWorld(openOnSqlite, ({ flows, live }) => ({
    flows,
    agents: createAgents({
      apps: { get: async () => undefined },
      models: scripted.models,
      live,
      flows,
      http,
      secrets: undefined,
      accounts: createAccounts({
        budgets: () => ({ answer: {}, apps: {}, keys: {} }),
        state: createMemoryState(Date.now),
        now: Date.now,
        warn: () => {},
      }),
      keyOf: () => undefined,
      host,
    }),
  }));
  process = await world.boot();
  return () => http.close();
});
afterEach(() => world.remove());

function row(id: string, nodes: Record<string, FlowNode>) {
  const names = ['t', ...Object.keys(nodes)];
  return world.flow(
    durableFlow(
      id,
      nodes,
      names.slice(1).map((to, i) => `${names[i]} > ${to}`),
    ),
  );
}

const tool = (flow: string, needsApproval = true): object => ({
  type: 'flow',
  name: flow,
  value: flow,
  needsApproval,
});
const agent = (tools: readonly object[]): FlowNode => ({
  operator: 'agent.run',
  params: { agent: { name: 'Bot', tools }, input: 'Do it.' },
});

async function start(id: string, nodes: Record<string, FlowNode>, output: unknown = 'x'): Promise<string> {
  const request = { flow: row(id, nodes), trigger: 't', request: {}, output, source: 'manual' as const };
  return (await process.durable.start(request)).run;
}

async function restart(): Promise<void> {
  await process.kill();
  process = await world.boot();
}

const parked = (run: string): Promise<void> =>
  until(async () => (await process.durable.get(run))?.status === 'waiting');

/** What the model was told of its tools in its last call. */
const told = (): unknown[] =>
  (calls.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message.content] : []));

const answered = (messages: ModelCall['messages']): number =>
  messages.filter(({ role }) => role === 'tool').length;

describe('a tool that needs approval', () => {
  beforeEach(() => {
    row('send', {
      sent: effectNode(),
      say: { operator: 'core.map', params: { value: 'sent {{ input.to }}' } },
    });
    script = ({ messages }) =>
      answered(messages) === 0 ? ['Let me see. ', { call: 'send', args: { to: 'Bob' } }] : ['Done.'];
  });

  test('waits for people with its arguments, over a crash, and asks no model twice', async () => {
    const run = await start('f', { bot: agent([tool('send')]) });
    await parked(run);
    expect([...world.waits.open_.values()]).toMatchObject([
      {
        key: 'bot/t1',
        node: 'bot',
        what: {
          title: 'Bot wants to use send',
          ask: { kind: 'tool', tool: { name: 'send', agent: 'Bot' }, data: { to: 'Bob' } },
        },
      },
    ]);
    expect(world.carried).toEqual([]);
    await restart();
    world.waits.decide(run, 'bot/t1', decided('approved'));
    const { status, answer } = await process.durable.ended(run);
    expect(status).toBe('ok');
    const said = (answer as { body: ChatItem[] }).body.map((item) => (item.type === 'text' ? item.text : ''));
    expect(said.join('')).toBe('Let me see. Done.');
    expect(told()).toEqual(['sent Bob']);
    expect(calls).toHaveLength(2);
    expect(world.keys.get('sent')).toEqual([`${run}:bot:1:sent`]);
  });

  test('gets the arguments that people changed, and the model is told', async () => {
    const run = await start('f', { bot: agent([tool('send')]) });
    await parked(run);
    world.waits.decide(run, 'bot/t1', decided('approved', { data: { to: 'Eve' }, comment: 'Not Bob' }));
    await process.durable.ended(run);
    expect(told()).toEqual([
      'Ada changed the arguments of this call to {"to":"Eve"}. They said: "Not Bob"\n\nsent Eve',
    ]);
  });

  test('that is refused is not called, and the refusal is its result', async () => {
    const run = await start('f', { bot: agent([tool('send')]) });
    await parked(run);
    world.waits.decide(run, 'bot/t1', decided('rejected', { comment: 'Too late' }));
    expect((await process.durable.ended(run)).status).toBe('ok');
    expect(told()).toEqual(['Ada refused this call of send; it was not made. They said: "Too late"']);
    expect(world.carried).toEqual([]);
  });

  test('is asked about in every round of a loop in a called flow, at the same time', async () => {
    row('inner', { bot: agent([tool('send')]), after: effectNode() });
    const loop = { operator: 'data.for-each', params: { flow: 'inner', concurrency: 3 } };
    const run = await start('f', { loop }, ['a', 'b', 'c']);
    const keys = ['loop/0/bot/t1', 'loop/1/bot/t1', 'loop/2/bot/t1'];
    await until(() => world.waits.open_.size === 3);
    await parked(run);
    expect([...world.waits.open_.values()].map(({ key }) => key).sort()).toEqual(keys);
    await restart();
    for (const key of keys) world.waits.decide(run, key, decided('approved'));
    expect((await process.durable.ended(run)).status).toBe('ok');
    expect(calls).toHaveLength(6);
    expect(world.carried.filter((node) => node === 'sent')).toHaveLength(3);
  });
});

describe('an agent of a durable run', () => {
  test('asks no model again whose answer is recorded, and repeats only the tool in flight', async () => {
    row('one', { first: effectNode({ give: 'one' }) });
    row('two', { second: effectNode({ give: 'two', held: 1 }) });
    script = ({ messages }) => {
      const at = answered(messages);
      if (at === 2) return ['Both.'];
      return [{ call: at === 0 ? 'one' : 'two' }];
    };
    const run = await start('f', { bot: agent([tool('one', false), tool('two', false)]) });
    await until(() => world.carried.includes('second'));
    await restart();
    expect((await process.durable.ended(run)).status).toBe('ok');
    expect(world.carried).toEqual(['first', 'second', 'second']);
    expect(calls).toHaveLength(3);
    expect(told()).toEqual(['one', 'two']);
  });

  test('waits in a flow that is its tool', async () => {
    row('ask', { w: waitNode({ title: '?' }) });
    script = ({ messages }) => (answered(messages) === 0 ? [{ call: 'ask' }] : ['Thanks.']);
    const run = await start('f', { bot: agent([tool('ask', false)]) });
    await parked(run);
    await restart();
    world.waits.decide(run, 'bot/t1/w', 'yes');
    expect((await process.durable.ended(run)).status).toBe('ok');
    expect(told()).toEqual(['yes']);
    expect(calls).toHaveLength(2);
  });
});
