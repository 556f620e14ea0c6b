import { expect, test } from 'vitest';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';
import { PATIENCE_MS } from '../../../tests/support/eventually.ts';

/** Conversations behind triggers whose runs outlive their request. */
const PASSWORD = 'PWCANARY-swordfish';

const flow = (id: string, more: object, between: Readonly<Record<string, object>> = {}, last?: object) => {
  const names = ['start', ...Object.keys(between), 'say'];
  const request = {
    type: 'object',
    required: ['messages'],
    properties: {
      conv_uid: { type: 'string' },
      messages: { type: 'string' },
      password: { type: 'string', format: 'password' },
    },
  };
  const params = { path: `/${id}`, methods: ['POST'], auth: 'none', request, memory: 'conv_uid', ...more };
  const value =
    '{{ length(trigger.body.history) + ": " + trigger.body.messages + (trigger.body.password ?? "") }}';
  return {
    format: 1,
    id,
    settings: { durable: true },
    nodes: {
      start: { operator: 'trigger.http', params },
      ...between,
      say: last ?? { operator: 'core.map', params: { value } },
    },
    edges: names.slice(1).map((to, i) => ({
      from: `${names[i]}.${names[i] === 'ask' ? 'approved' : 'out'}`,
      to: `${to}.in`,
    })),
  };
};

const flows = [
  flow('whole', {}),
  flow('later', { answer: 'immediately' }),
  flow(
    'streams',
    {},
    {},
    { operator: 'model.stream', params: { model: 'demo/echo', prompt: '{{ input.messages }}' } },
  ),
  flow('asks', {}, { ask: { operator: 'human.approval', params: { title: 'Go on?' } } }),
];

async function served(config?: Bed['ctx']['config']): Promise<Bed> {
  const bed = await startBed(config);
  if (config !== undefined) return bed;
  const owner = await signIn(bed);
  for (const one of flows) {
    const headers = { ...owner, 'content-type': 'application/json' };
    const saved = await fetch(`${bed.url}/api/v1/flows`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ flow: one }),
    });
    expect(await saved.json()).toMatchObject({ data: { state: 'live', problems: [] } });
  }
  return bed;
}

async function say(bed: Bed, path: string, messages: string, more: object = {}, headers = {}) {
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ conv_uid: 'a', messages, ...more }),
  });
  return {
    status: answer.status,
    body: (await answer.json()) as unknown,
    run: answer.headers.get('x-weft-run') ?? '',
  };
}

/** The stored messages of the conversation `a` of a flow. */
async function kept({ ctx }: Bed, id: string): Promise<string[]> {
  const messages = await ctx.conversations.recent(`flow:${id}`, 'a', 20);
  return messages.map(({ content }) => content);
}

test('earlier messages come with the next request, once, also with a repeated one', async () => {
  const bed = await served();
  expect((await say(bed, 'whole', 'Hi')).body).toBe('0: Hi');
  const key = { 'idempotency-key': 'k' };
  for (let i = 0; i < 2; i++) expect((await say(bed, 'whole', 'You?', {}, key)).body).toBe('2: You?');
  expect((await say(bed, 'whole', 'Ah', { password: PASSWORD })).body).toBe(`4: Ah${PASSWORD}`);
  expect(await kept(bed, 'whole')).toEqual(['Hi', '0: Hi', 'You?', '2: You?', 'Ah', '4: Ah***']);
});

test('the text of a streamed answer is remembered', async () => {
  const bed = await served();
  await say(bed, 'streams', 'Hello there');
  expect(await kept(bed, 'streams')).toEqual(['Hello there', 'Hello there']);
});

test('an answer without a waiting caller is remembered once it exists', async () => {
  const bed = await served();
  const { status, run } = await say(bed, 'later', 'Hi');
  expect(status).toBe(202);
  await bed.ctx.durable.ended(run);
  await expect.poll(() => kept(bed, 'later'), { timeout: PATIENCE_MS }).toEqual(['Hi', '0: Hi']);
});

test('so is one that a restart came before', async () => {
  const before = await served();
  const { status, run } = await say(before, 'asks', 'Hi');
  expect(status).toBe(202);
  await before.stop();
  const bed = await served(before.ctx.config);
  const owner = await signIn(bed);
  const waits = (await (await fetch(`${bed.url}/api/v1/waits`, { headers: owner })).json()) as {
    data: { waits: { id: string }[] };
  };
  await fetch(`${bed.url}/api/v1/waits/${waits.data.waits[0]?.id}/decide`, {
    method: 'POST',
    headers: { ...owner, 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approved' }),
  });
  await bed.ctx.durable.ended(run);
  await expect.poll(() => kept(bed, 'asks'), { timeout: PATIENCE_MS }).toEqual(['Hi', '0: Hi']);
});
