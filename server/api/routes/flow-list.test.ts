import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { DeletedFlow, FlowActivity, FlowDetail, FlowSummary, FlowUse } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';
import { type Bed, startBed } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';
import { eventually } from '../../../tests/support/eventually.ts';

const says = (text: string, more: Partial<Flow> = {}): Flow => ({
  format: 1,
  id: 'says',
  ...more,
  nodes: {
    ask: { operator: 'trigger.http', params: { path: '/says', auth: 'none' } },
    say: { operator: 'text.template', params: { template: text } },
  },
  edges: [{ from: 'ask.out', to: 'say.in' }],
});

const save = ({ ctx }: Bed, flow: Flow, mode: 'draft' | 'publish') =>
  ctx.flows.save(flow.id, formatFlow(flow), {
    revision: ctx.flows.revision(flow.id),
    actor: actorNamed('owner'),
    mode,
  });

const PLACE = 'PUT /api/v1/flows/:id/place';
const params = { id: 'says' };

test('a move and tags reach the live version and the draft, and change nothing else of either', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await save(bed, says('live'), 'publish');
  const draft = await save(bed, says('draft'), 'draft');
  const moved: FlowDetail = await call('PUT /api/v1/flows/:id/place', {
    params,
    body: { folder: 'Sales/Orders', tags: ['vip', 'eu'] },
  });
  expect(moved).toMatchObject({ folder: 'Sales/Orders', tags: ['vip', 'eu'], hasDraft: true });
  expect(moved.flow?.nodes['say']?.params).toEqual({ template: 'draft' });
  expect(bed.ctx.flows.live('says')?.flow).toMatchObject({ ...says('live'), folder: 'Sales/Orders' });
  expect(moved.live).not.toBe(draft.live);
  // The draft contains what is live, so it can be published without a conflict.
  expect(moved.base ?? moved.live).toBe(moved.live);
  await bed.ctx.flows.publish('says', { revision: moved.revision, actor: actorNamed('owner') });
  expect(bed.ctx.flows.live('says')?.flow).toMatchObject({ tags: ['vip', 'eu'], ...says('draft') });
});

test('a field that is left out stays, null and an empty list take away, and a draft stays a draft', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await save(bed, says('only a draft'), 'draft');
  await call(PLACE, { params, body: { folder: 'Sales' } });
  const tagged: FlowDetail = await call(PLACE, { params, body: { tags: ['vip'] } });
  expect(tagged).toMatchObject({ folder: 'Sales', tags: ['vip'], state: 'draft' });
  expect(tagged).not.toHaveProperty('live');
  const bare: FlowDetail = await call(PLACE, { params, body: { folder: null, tags: [] } });
  expect(bare.flow).toEqual(says('only a draft'));
});

test('a list is narrowed by folder and by tag, and a file lies in the folder of its path', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await save(bed, says('a', { folder: 'Sales/Orders', tags: ['vip'] }), 'publish');
  await save(bed, { ...says('b', { folder: 'Salesmen' }), id: 'other', nodes: {}, edges: [] }, 'draft');
  const found = async (query: string): Promise<string[]> =>
    ((await call('GET /api/v1/flows', { query })) as FlowSummary[]).map(({ id }) => id);
  expect(await found('?folder=Sales')).toEqual(['says']);
  expect(await found('?folder=Sales/Orders')).toEqual(['says']);
  expect(await found('?tag=vip')).toEqual(['says']);
  expect(await found('?tag=none')).toEqual([]);
  expect(await found('?q=salesm')).toEqual(['other']);
});

test('who uses a flow is told: callers, flows that it is started by after a failure, and apps', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await save(bed, says('a'), 'publish');
  await save(
    bed,
    {
      format: 1,
      id: 'caller',
      name: 'Calls it',
      nodes: {
        ask: { operator: 'trigger.http', params: { path: '/caller', auth: 'none' } },
        then: { operator: 'flow.call', params: { flow: 'says' } },
      },
      edges: [{ from: 'ask.out', to: 'then.in' }],
    },
    'draft',
  );
  await save(
    bed,
    { ...says('c'), id: 'failing', nodes: {}, edges: [], settings: { onFailure: 'says' } },
    'draft',
  );
  const used: FlowUse = await call('GET /api/v1/flows/:id/used-by', { params });
  expect(used).toEqual({
    flows: [
      { id: 'caller', name: 'Calls it', as: 'call' },
      { id: 'failing', as: 'failure' },
    ],
    apps: [],
  });
});

test('the runs of a day are counted by flow and hour, by how they ended', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await save(bed, says('{{ input.n }}'), 'publish');
  await fetch(`${bed.url}/api/v1/awel/trigger/says?n=1`);
  await fetch(`${bed.url}/api/v1/awel/trigger/says?n=2`);
  await fetch(`${bed.url}/api/v1/awel/trigger/says`);
  const sum = (counts: readonly number[] = []): number => counts.reduce((a, b) => a + b, 0);
  await eventually(async () => {
    const activity: FlowActivity = await call('GET /api/v1/flows/activity');
    const { ok, failed } = activity.flows['says'] ?? {};
    expect(activity.whole).toBe(true);
    expect(ok).toHaveLength(24);
    expect([sum(ok), sum(failed)]).toEqual([2, 1]);
    expect(ok?.at(-1)).toBe(2);
  });
});

test('a deleted flow comes back as a draft with its layout, once, unless its id is taken', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const again = (one: DeletedFlow | undefined) =>
    bed.ctx.flows.undelete(one as DeletedFlow, { actor: actorNamed('owner') });
  await save(bed, says('first', { name: 'Says' }), 'publish');
  await bed.ctx.flows.saveLayout('says', { format: 1, nodes: { say: { x: 7, y: 8 } } });
  const remove = () =>
    bed.ctx.flows.remove('says', {
      revision: bed.ctx.flows.revision('says') ?? '',
      actor: actorNamed('owner'),
    });
  await remove();
  const [first]: readonly DeletedFlow[] = await call('GET /api/v1/trash');
  expect(first).toMatchObject({ id: 'says', name: 'Says' });
  const at = { params: { id: 'says', at: String(first?.at) } };
  await save(bed, says('second'), 'publish');
  await expect(again(first)).rejects.toMatchObject({ code: 'conflict' });
  await remove();
  const back: FlowDetail = await call('POST /api/v1/trash/:id/:at/restore', at);
  expect(back).toMatchObject({ id: 'says', state: 'draft', layout: { nodes: { say: { x: 7, y: 8 } } } });
  expect(back.flow?.nodes['say']?.params).toEqual({ template: 'first' });
  await expect(again(first)).rejects.toMatchObject({ code: 'flow_not_found' });
  const [second, ...others]: readonly DeletedFlow[] = await call('GET /api/v1/trash');
  expect(others).toEqual([]);
  await call('DELETE /api/v1/trash/:id/:at', { params: { id: 'says', at: String(second?.at) } });
  expect(await call('GET /api/v1/trash')).toEqual([]);
});

test.each([
  ['../../etc/x', '0'],
  ['says', 'soon'],
  ['says', '-1'],
  ['Says', '1'],
])('there is no deleted flow %s of %s', async (id, at) => {
  const { ctx, url } = await startBed();
  const { key } = await ctx.keys.create({ name: 'writer', scopes: ['flows:write'] });
  const place = `${url}/api/v1/trash/${encodeURIComponent(id)}/${at}`;
  const headers = { authorization: `Bearer ${key}` };
  for (const [method, path] of [
    ['POST', `${place}/restore`],
    ['DELETE', place],
  ] as const) {
    const answer = await fetch(path, { method, headers });
    expect([answer.status, (await answer.json()).err_code]).toEqual([404, 'flow_not_found']);
  }
});
