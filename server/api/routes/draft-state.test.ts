import { expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';

/** Runs of a draft never see or change what live runs store. */

const flowOf = (id: string, node: FlowNode, description = '') =>
  `${JSON.stringify({
    format: 1,
    id,
    description,
    nodes: { ask: { operator: 'trigger.http', params: { path: `/${id}`, auth: 'none' } }, do: node },
    edges: [{ from: 'ask.out', to: 'do.in' }],
  })}\n`;

const count: FlowNode = { operator: 'state.add', params: { key: 'n', by: 1 } };

/** A live flow, and a draft of it that only has another description. */
async function served(nodes: Readonly<Record<string, FlowNode>>) {
  const bed = await startBed();
  const actor = actorNamed('owner');
  for (const [id, node] of Object.entries(nodes))
    await bed.ctx.flows.save(id, flowOf(id, node), { revision: undefined, actor, mode: 'publish' });
  const [id = ''] = Object.keys(nodes);
  const text = flowOf(id, nodes[id] as FlowNode, 'draft');
  await bed.ctx.flows.save(id, text, { revision: bed.ctx.flows.revision(id), actor, mode: 'draft' });
  const who = await signIn(bed);
  const live = async (): Promise<unknown> => (await fetch(`${bed.url}/api/v1/awel/trigger/${id}`)).json();
  const tried = async (): Promise<unknown> =>
    (await fetch(`${bed.url}/api/v1/flows/${id}/test/${id}`, { headers: who })).json();
  const run = (body: object): Promise<Started> => post(bed, who, `/flows/${id}/run`, body);
  return { bed, who, live, tried, run };
}

interface Started {
  readonly run: string;
  readonly status: string;
  readonly answer?: { readonly body?: unknown };
}

async function post(bed: Bed, who: Record<string, string>, path: string, body: object): Promise<Started> {
  const answer = await fetch(`${bed.url}/api/v1${path}`, {
    method: 'POST',
    headers: { ...who, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return ((await answer.json()) as { data: Started }).data;
}

test.each([
  ['of its own', { counts: count }],
  ['shared', { counts: { ...count, params: { ...count.params, scope: 'shared' } } }],
  [
    'of a flow that it calls',
    { calls: { operator: 'flow.call', params: { flow: 'counts' } }, counts: count },
  ],
])('a draft counts apart from the live flow, in state %s', async (_, nodes) => {
  const { live, tried, run } = await served(nodes as Record<string, FlowNode>);
  expect([await live(), await live()]).toEqual([1, 2]);
  expect(await tried()).toBe(1);
  expect(await run({ draft: true })).toMatchObject({ status: 'ok', answer: { body: 2 } });
  expect(await live()).toBe(3);
  // By hand, but of the live version.
  expect(await run({})).toMatchObject({ answer: { body: 4 } });
});

const read: FlowNode = { operator: 'state.get', params: { key: 'n', scope: 'shared', fallback: 'none' } };
const set: FlowNode = { operator: 'state.set', params: { key: 'n', scope: 'shared', value: 'live' } };

test.each([{}, { keep: 'disk' as const }])('a draft and the live flow share no cache (%o)', async (cache) => {
  const { bed, live, tried } = await served({ reads: { ...read, cache }, sets: set });
  expect(await tried()).toBe('none');
  await fetch(`${bed.url}/api/v1/awel/trigger/sets`);
  expect([await live(), await tried()]).toEqual(['live', 'none']);
});

test('a run of a draft is replayed with the state that it saw', async () => {
  const { bed, who, run } = await served({ counts: { ...count } });
  await run({ draft: true });
  const { run: id } = await run({ draft: true });
  const answer = await fetch(`${bed.url}/api/v1/runs/${id}/recording`, { headers: who });
  const recording = (await answer.json()) as object;
  expect(JSON.stringify(recording)).toContain('"isDraft":true');
});
