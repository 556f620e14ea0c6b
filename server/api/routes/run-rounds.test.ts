import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunEventPage, RunRounds, StartedRun } from '#shared/api.ts';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';

/** A loop over orders, one of which fails, with a group in it. */
const loop = {
  operator: 'data.for-each',
  params: { onItemError: 'skip' },
  body: {
    start: 'order',
    nodes: {
      check: { operator: 'core.map', params: { value: '{{ input.count * 2 }}' } },
      group: {
        operator: 'core.group',
        body: {
          start: 'given',
          nodes: { half: { operator: 'core.map', params: { value: '{{ input / 2 }}' } } },
          edges: [{ from: 'given.out', to: 'half.in' }],
        },
      },
    },
    edges: [
      { from: 'order.out', to: 'check.in' },
      { from: 'check.out', to: 'group.in' },
    ],
  },
};

const flow = {
  format: 2,
  id: 'orders',
  nodes: { t: { operator: 'trigger.manual' }, loop },
  edges: [{ from: 't.out', to: 'loop.in' }],
};

const ROUNDS = 'GET /api/v1/runs/:id/rounds/:node';

/** A server with the flow, and ways to call it. */
async function opened() {
  const folder = join(await tempFolder(), 'flows');
  await mkdir(folder);
  await writeFile(join(folder, 'orders.json'), JSON.stringify(flow));
  const bed = await startBed({ flows: [folder] });
  const { call } = await routeCaller(bed);
  const run = async (body: object): Promise<StartedRun> =>
    call('POST /api/v1/flows/:id/run', { params: { id: 'orders' }, body });
  const rounds = (id: string, node: string, query = ''): Promise<RunRounds> =>
    call('GET /api/v1/runs/:id/rounds/:node', { params: { id, node }, query });
  return { run, rounds, call };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const input = [{ id: 'a', count: 1 }, { id: 'b', count: 2 }, { id: 'c' }];

test('the rounds of a loop come with their sums, failed ones first, page by page', async () => {
  const { run, rounds } = await opened();
  const { run: id } = await run({ input });
  const all = await rounds(id, 'loop');
  expect(all).toMatchObject({ count: 3, failed: 1, told: 3 });
  expect(all.rounds[0]).toMatchObject({ place: 'loop#2', status: 'failed', key: 'c', recorded: true });
  const page = await rounds(id, 'loop', '?sort=order&limit=2');
  expect(page.rounds.map(({ place, key }) => [place, key])).toEqual([
    ['loop#0', 'a'],
    ['loop#1', 'b'],
  ]);
  expect(page.next).toBe(2);
  const last = await rounds(id, 'loop', '?sort=order&after=2');
  expect(last.rounds.map(({ place }) => place)).toEqual(['loop#2']);
  expect(last).not.toHaveProperty('next');
  const inner = await rounds(id, 'group', '?within=loop%231');
  expect(inner).toMatchObject({ count: 1, failed: 0, rounds: [{ place: 'loop#1/group#0', key: '4' }] });
});

/** Which nodes of the body gave what in the last run. */
async function given(call: Opened['call'], id: string): Promise<unknown[]> {
  const { events } = (await call('GET /api/v1/runs/:id/events', { params: { id } })) as RunEventPage;
  return events.flatMap((e) =>
    e.kind === 'node-output' && e.round !== undefined
      ? [`${e.round}/${e.node} ${JSON.stringify(e.value)}`]
      : [],
  );
}

test('a node in a body runs in one round: the first, or the one that is asked for', async () => {
  const { run, call } = await opened();
  const whole = await run({ input });
  const first = await run({ only: 'check' });
  expect(await given(call, first.run)).toEqual(['loop#0/order {"id":"a","count":1}', 'loop#0/check 2']);
  const second = await run({ only: 'half', round: 1, reuse: whole.run });
  expect(second.status).toBe('ok');
  expect(await given(call, second.run)).toEqual([
    'loop#1/order {"id":"b","count":2}',
    'loop#1/check 4',
    'loop#1/group#0/given 4',
    'loop#1/group#0/half 2',
    'loop#1/group 2',
  ]);
  expect(second.decisions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ node: 'check', does: 'reused' }),
      expect.objectContaining({ node: 'half', does: 'run' }),
    ]),
  );
  const missing = await run({ only: 'check', round: 7 });
  expect(missing).toMatchObject({ status: 'failed', error: { code: 'bad_input' } });
  expect(missing.error?.message).toContain('has no round 7: its list has 3 items');
});

test('a run from a node in a body goes on in its round, and not behind the body', async () => {
  const { run, call } = await opened();
  const whole = await run({ input });
  const part = await run({ from: 'group', round: 1, reuse: whole.run });
  expect(part).toMatchObject({ status: 'ok', answer: { body: 2 } });
  expect(part.decisions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ node: 'check', does: 'reused' }),
      expect.objectContaining({ node: 'group', does: 'run' }),
    ]),
  );
  const first = await run({ from: 'check', reuse: whole.run });
  expect((await given(call, first.run)).map((line) => String(line).split(' ')[0])).toEqual([
    'loop#0/order',
    'loop#0/check',
    'loop#0/group#0/given',
    'loop#0/group#0/half',
    'loop#0/group',
  ]);
  await expect(run({ from: 'check', round: 'other#1' })).rejects.toMatchObject({
    actual: [expect.any(String), 400, /check is in no body of other/],
  });
});

test('what a node in a body has pinned holds in all rounds', async () => {
  const { run, call } = await opened();
  const params = { id: 'orders', node: 'check' };
  await call('PUT /api/v1/flows/:id/pins/:node', { params, body: { outputs: { out: 10 } } });
  const { answer, run: id } = await run({ input, pins: true });
  expect(answer).toMatchObject({ body: [5, 5, 5] });
  expect((await given(call, id)).filter((line) => String(line).includes('/check'))).toEqual([
    'loop#0/check 10',
    'loop#1/check 10',
    'loop#2/check 10',
  ]);
});

test('a node without rounds is refused', async () => {
  const { run, rounds } = await opened();
  const { run: id } = await run({ input: [] });
  await expect(rounds(id, 't')).rejects.toMatchObject({ actual: [ROUNDS, 400, /has no body/] });
  await expect(rounds('none', 'loop')).rejects.toMatchObject({ actual: [ROUNDS, 404, /run_not_found/] });
});
