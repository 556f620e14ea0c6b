import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import type { WaitPage } from '#shared/wait.ts';
import { startProxy } from '../server/connections/testing/proxy.ts';
import { type Answer, ask, call } from './support/client.ts';
import { type Node, publish, save, startNode } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { askingFlow, type FlowJson, httpTrigger, sayFlow } from './support/flows.ts';
import { codeOf } from './support/leaks.ts';
import { metric } from './support/metrics.ts';
import { postingFlow, startOutside } from './support/outside.ts';
import { startOwnPostgres } from './support/own-postgres.ts';

/** What a database does to servers on it in the middle of their work, and how they find their way back. */
const POST = { method: 'POST' };
const env = { WEFT_OUTBOUND_ALLOW: '127.0.0.1' };

const counting: FlowJson = {
  format: 1,
  id: 'counting',
  nodes: { trigger: httpTrigger('/counting'), add: { operator: 'state.add', params: { key: 'n' } } },
  edges: [{ from: 'trigger.out', to: 'add.in' }],
};

const statusOf = async ({ owner }: Node, run: string): Promise<string> =>
  (await owner.data<RunSummary>('GET', `/runs/${run}`)).status;

const isReady = async ({ url }: Node): Promise<number> => (await ask(`${url}/readyz`)).status;

/** What writes into the database, with what it would do. */
function writes(node: Node, n: number): readonly Promise<Answer>[] {
  return [
    save(node, sayFlow(`flow_${n}`, 'x')),
    node.owner.api('PUT', '/variables/color', { value: `red ${n}` }),
    node.owner.api('PUT', '/secrets/token', { value: `canary ${n}`, grants: {} }),
    node.owner.api('POST', '/keys', { name: `key ${n}`, scopes: ['runs:read'] }),
    call(node, '/counting'),
    call(node, '/asking'),
  ];
}
const DONE = [201, 200, 200, 201, 200, 202];

async function refuses(node: Node, n: number): Promise<void> {
  for (const answer of await Promise.all(writes(node, n)))
    expect([answer.status, codeOf(answer)], answer.text).toEqual([503, 'storage_failed']);
}

async function writesAgain(node: Node, n: number): Promise<void> {
  expect((await Promise.all(writes(node, n))).map(({ status }) => status)).toEqual(DONE);
}

/** The question of the run, once it is asked. */
async function waitOf({ owner }: Node, run: string): Promise<string> {
  return eventually(async () => {
    const { waits } = await owner.data<WaitPage>('GET', `/waits?run=${run}&status=open`);
    expect(waits).toHaveLength(1);
    return waits[0]?.id as string;
  });
}

const pair = async (url: string): Promise<[Node, Node]> => [await startNode(url, env), await startNode(url, env)];

test('a database that is read-only for a while refuses each write with a code, and nothing that was accepted is lost', async () => {
  const outside = await startOutside('/two');
  const database = await startOwnPostgres();
  const [a, b] = await pair(await database.create('weft'));
  for (const flow of [sayFlow('hello', 'one'), counting, askingFlow]) await publish(a, flow);
  await publish(a, postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  await writesAgain(a, 1);
  const { run } = (await call(a, '/lasting', POST)).body as AcceptedRun;
  const asking = (await call(b, '/asking')).body as AcceptedRun;
  const wait = await waitOf(a, asking.run);
  await eventually(() => expect(outside.paths()).toEqual(['/one', '/two']));

  await database.set({ default_transaction_read_only: 'on' });
  for (const node of [a, b]) {
    await refuses(node, 2);
    expect((await call(node, '/hello')).body).toBe('one');
    const decided = await node.owner.api('POST', `/waits/${wait}/decide`, { decision: 'approved' });
    expect([decided.status, codeOf(decided)]).toEqual([503, 'storage_failed']);
    expect(await isReady(node)).toBe(503);
  }
  // What was in flight ends, and cannot be recorded yet.
  outside.release();
  expect((await a.owner.data<{ value: string }[]>('GET', '/variables'))[0]?.value).toBe('red 1');

  await database.set({ default_transaction_read_only: 'off' });
  for (const node of [a, b]) await eventually(async () => expect(await isReady(node)).toBe(200));
  await writesAgain(a, 3);
  await writesAgain(b, 4);
  await b.owner.data('POST', `/waits/${wait}/decide`, { decision: 'approved' });
  for (const one of [run, asking.run]) await eventually(async () => expect(await statusOf(b, one)).toBe('ok'));
  expect(outside.paths()).toEqual(['/one', '/two', '/three']);
});
