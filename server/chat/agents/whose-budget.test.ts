import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';

const flowOf = (id: string, trigger: object) => ({
  format: 1,
  id,
  nodes: { start: trigger, agent: { operator: 'agent.run', params: { agent: { name: 'Echo' } } } },
  edges: [{ from: 'start.out', to: 'agent.in' }],
});

const http = (path: string, more: object) => ({
  operator: 'trigger.http',
  params: { path, methods: ['POST'], ...more },
});

/** Agents behind HTTP triggers, open and for keys, and for chats, also in a called flow. */
const flows = [
  flowOf('open', http('/open', { auth: 'none' })),
  flowOf('locked', http('/locked', { auth: 'api-key' })),
  { ...flowOf('lasting', http('/lasting', { auth: 'api-key' })), settings: { durable: true } },
  flowOf('talk', { operator: 'trigger.chat' }),
  {
    format: 1,
    id: 'through',
    nodes: {
      start: { operator: 'trigger.chat' },
      call: { operator: 'flow.call', params: { flow: 'talk', input: '{{ input }}' } },
    },
    edges: [{ from: 'start.out', to: 'call.in' }],
  },
];

async function start() {
  const folder = join(await tempFolder(), 'flows');
  mkdirSync(folder);
  for (const flow of flows) writeFileSync(join(folder, `${flow.id}.json`), JSON.stringify(flow));
  const bed = await startBed({ flows: [folder] });
  const { key } = await bed.ctx.keys.create({ name: 'ci', scopes: ['chat', 'triggers'] });
  await bed.ctx.budgets.set({ answer: {}, apps: {}, keys: { ci: { steps: 1 } } });
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${bed.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return answer.text();
  };
  const chat = (flow: string) =>
    post('/api/v2/chat/completions', { model: `flow:${flow}`, messages: 'Hi', stream: false });
  return { post, chat };
}

test('a caller over HTTP cannot use up the budget of a key by naming it', async () => {
  const { post, chat } = await start();
  const forged = { text: 'Hi', messages: [{ role: 'user', content: 'Hi' }], key: 'key ci' };
  for (let i = 0; i < 3; i++) await post('/api/v1/awel/trigger/open', forged);
  expect(await chat('talk')).not.toContain('agent_budget');
});

test.each(['locked', 'lasting'])('a call of a trigger counts for its key (%s)', async (path) => {
  const { post, chat } = await start();
  const call = () => post(`/api/v1/awel/trigger/${path}`, { text: 'Hi' });
  expect(await call()).not.toContain('agent_budget');
  expect(await call()).toContain('agent_budget');
  expect(await chat('talk'), 'one ledger').toContain('agent_budget');
});

test.each(['talk', 'through'])(
  'a chat counts for the key that asks, also in a flow that is called (%s)',
  async (flow) => {
    const { chat } = await start();
    const first = await chat(flow);
    expect(first).toContain('"content"');
    expect(await chat(flow)).toContain('agent_budget');
  },
);
