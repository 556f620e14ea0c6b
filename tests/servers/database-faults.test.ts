import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import type { WaitPage } from '#shared/wait.ts';
import { NOBODY } from '../../server/storage/database/testing/postgres-server.ts';
import { type Answer, ask, call } from '../support/client.ts';
import { type Node, publish, save, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { askingFlow, type FlowJson, httpTrigger, lateFlow, sayFlow } from '../support/flows.ts';
import { codeOf } from '../support/leaks.ts';
import { metric } from '../support/metrics.ts';
import { postingFlow, startOutside } from '../support/outside.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';

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
  await eventually(async () => expect((await call(node, '/counting')).status).toBe(200));
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

const pair = async (url: string): Promise<[Node, Node]> => [
  await startNode(url, env),
  await startNode(url, env),
];

test('a database that is read-only for a while refuses each write with a code, and nothing that was accepted is lost', async () => {
  const outside = await startOutside('/two');
  const database = await startOwnPostgres();
  const [a, b] = await pair(await database.create('weft'));
  const slow = lateFlow('slow', 'done', 3000);
  for (const flow of [sayFlow('hello', 'one'), counting, askingFlow, slow]) await publish(a, flow);
  await publish(a, postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  await writesAgain(a, 1);
  const { run } = (await call(a, '/lasting', POST)).body as AcceptedRun;
  const asking = (await call(b, '/asking')).body as AcceptedRun;
  const wait = await waitOf(a, asking.run);
  await eventually(() => expect(outside.paths()).toContain('/two'));
  const asked = outside.log.length;

  const inMemory = call(a, '/slow');
  await database.set({ default_transaction_read_only: 'on' });
  for (const node of [a, b]) {
    await refuses(node, 2);
    expect((await call(node, '/hello')).body).toBe('one');
    const decided = await node.owner.api('POST', `/waits/${wait}/decide`, { decision: 'approved' });
    expect([decided.status, codeOf(decided)]).toEqual([503, 'storage_failed']);
  }
  // What was in flight ends, and cannot be recorded yet.
  outside.release();
  for (const node of [a, b]) await eventually(async () => expect(await isReady(node)).toBe(503));
  expect((await a.owner.data<{ value: string }[]>('GET', '/variables'))[0]?.value).toBe('red 1');

  expect((await inMemory).body).toBe('done');
  await database.set({ default_transaction_read_only: 'off' });
  for (const node of [a, b]) await eventually(async () => expect(await isReady(node)).toBe(200));
  await writesAgain(a, 3);
  await writesAgain(b, 4);
  await b.owner.data('POST', `/waits/${wait}/decide`, { decision: 'approved' });
  for (const one of [run, asking.run])
    await eventually(async () => expect(await statusOf(b, one)).toBe('ok'));
  expect(outside.paths().slice(asked)).toEqual(['/three']);
});

/** A file system that is so small that it can be filled, for what the user of the database writes; undefined where none may be mounted. */
function smallDisk(path: string): { fill(): void; free(): void } | undefined {
  mkdirSync(path);
  const options = ['-t', 'tmpfs', '-o', `size=64m,mode=700,uid=${NOBODY},gid=${NOBODY}`, 'tmpfs', path];
  if (spawnSync('mount', options).status !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['--lazy', path]));
  const filler = join(path, 'filler');
  return {
    fill: () => void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']),
    free: () => rmSync(filler),
  };
}

test('a full disk of the database refuses each write with a code, the history counts what it lost, and all goes on afterwards', async (context) => {
  const outside = await startOutside('/two');
  const database = await startOwnPostgres();
  const disk = smallDisk(join(database.folder, 'small'));
  if (disk === undefined) return context.skip('This user may not mount a file system.');
  await database.sql(`CREATE TABLESPACE small LOCATION '${join(database.folder, 'small')}'`);
  const [a, b] = await pair(await database.create('weft', 'TABLESPACE small'));
  for (const flow of [sayFlow('hello', 'one'), counting, askingFlow]) await publish(a, flow);
  await publish(a, postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const { run } = (await call(a, '/lasting', POST)).body as AcceptedRun;
  await eventually(() => expect(outside.paths()).toContain('/two'));
  const asked = outside.log.length;
  const accepted = await Promise.all(
    Array.from({ length: 5 }, async () => ((await call(b, '/asking')).body as AcceptedRun).run),
  );
  const waits = await Promise.all(accepted.map((one) => waitOf(a, one)));

  disk.fill();
  // What is left of pages that are not full yet is used up first.
  const lost = async () =>
    (await metric(a, 'weft_runs_dropped_total')) + (await metric(b, 'weft_runs_dropped_total'));
  const answers: Answer[] = [];
  await eventually(async () => {
    for (const node of [a, b])
      answers.push(await node.owner.api('PUT', '/secrets/big', { value: 'x'.repeat(9000), grants: {} }));
    for (const node of [a, b])
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => call(node, '/hello')))));
    expect(answers.some(({ status }) => status === 503)).toBe(true);
    expect(await lost()).toBeGreaterThan(0);
  });
  for (const answer of answers.filter(({ status }) => status >= 300)) {
    expect([answer.status, codeOf(answer)]).toEqual([503, 'storage_failed']);
    expect(answer.text).toMatch(/No space left on device/);
  }
  expect((await call(b, '/hello')).body).toBe('one');
  outside.release();

  disk.free();
  await writesAgain(a, 3);
  await writesAgain(b, 4);
  for (const [at, wait] of waits.entries())
    await (at % 2 === 0 ? a : b).owner.data('POST', `/waits/${wait}/decide`, { decision: 'approved' });
  for (const one of [run, ...accepted])
    await eventually(async () => expect(await statusOf(b, one)).toBe('ok'));
  expect(outside.paths().slice(asked)).toEqual(['/three']);
});

test('a database that is killed and comes back: what it had confirmed is there, and nothing but steps in flight is repeated', async () => {
  const outside = await startOutside('/two');
  const database = await startOwnPostgres();
  const [a, b] = await pair(await database.create('weft'));
  for (const flow of [sayFlow('hello', 'one'), counting, askingFlow, lateFlow('slow', 'done', 3000)])
    await publish(a, flow);
  await publish(a, postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  await writesAgain(b, 1);
  const { run } = (await call(b, '/lasting', POST)).body as AcceptedRun;
  const asking = (await call(a, '/asking')).body as AcceptedRun;
  const wait = await waitOf(b, asking.run);
  await eventually(() => expect(outside.paths()).toContain('/two'));
  const asked = outside.log.length;
  const inMemory = call(b, '/slow');
  await database.kill();
  for (const node of [a, b]) {
    await refuses(node, 2);
    expect((await call(node, '/hello')).body).toBe('one');
  }
  expect((await inMemory).body).toBe('done');
  await database.start();
  outside.release();
  await writesAgain(a, 3);
  await writesAgain(b, 4);
  await a.owner.data('POST', `/waits/${wait}/decide`, { decision: 'approved' });
  for (const one of [run, asking.run])
    await eventually(async () => expect(await statusOf(a, one)).toBe('ok'));
  expect(outside.paths().slice(asked)).toEqual(['/three']);
});
