import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { CreatedKey } from '#shared/key.ts';
import type { NodeInfo } from '#shared/node.ts';
import { newDatabase } from '../server/storage/database/testing/postgres-server.ts';
import { call, signIn } from './support/client.ts';
import { claimsOf, executing, type Node, publish, SECRETS_KEY, statusOf } from './support/cluster.ts';
import { eventually } from './support/eventually.ts';
import { sayFlow } from './support/flows.ts';
import { expectSteps, postingFlow, startOutside } from './support/outside.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/**
 * What makes two servers on one PostgreSQL one service, in one pair. Each test goes on where the one before it ended; all else about
 * several servers is in tests/servers/.
 */
let url: string;
let pair: [Node, Node];
const started: TestServer[] = [];

async function join(): Promise<Node> {
  const env = {
    WEFT_DATABASE_URL: url,
    WEFT_SECRETS_KEY: SECRETS_KEY,
    WEFT_OUTBOUND_ALLOW: '127.0.0.1',
    WEFT_GRACE_MS: '500',
  };
  const server = await startServer({ env });
  started.push(server);
  return { ...server, owner: await signIn(server) };
}

beforeAll(async () => {
  url = await newDatabase();
  pair = await Promise.all([join(), join()]);
});
afterAll(() => Promise.all(started.map(discard)));

const said = (path: string): Promise<unknown[]> =>
  Promise.all(pair.map(async (node) => (await call(node, path)).body));
const nodesOf = ({ owner }: Node): Promise<NodeInfo[]> => owner.data<NodeInfo[]>('GET', '/nodes');

test('both answer, and each knows of the other', async () => {
  const unknown = expect.objectContaining({ err_code: 'trigger_not_found' });
  expect(await said('/nothing')).toEqual([unknown, unknown]);
  for (const node of pair) expect((await nodesOf(node)).map(({ state }) => state)).toEqual(['up', 'up']);
});

test('what one publishes, changes or removes is so at the other as soon as it is answered', async () => {
  const [a, b] = pair;
  const { revision } = await publish(a, sayFlow('hello', 'one'));
  expect(await said('/hello')).toEqual(['one', 'one']);
  const changed = await publish(b, sayFlow('hello', 'two'), revision);
  expect(await said('/hello')).toEqual(['two', 'two']);
  await a.owner.data('DELETE', `/flows/hello?revision=${changed.revision}`);
  expect(await Promise.all(pair.map(async (node) => (await call(node, '/hello')).status))).toEqual([
    404, 404,
  ]);
});

test('a key that one has made opens the other, and is refused there once it is revoked', async () => {
  const [a, b] = pair;
  await publish(b, sayFlow('guarded', 'in', { operator: 'trigger.http', params: { path: '/guarded' } }));
  const { id, key } = await a.owner.data<CreatedKey>('POST', '/keys', { name: 'ci', scopes: ['triggers'] });
  const enter = async (node: Node): Promise<number> =>
    (await call(node, '/guarded', { headers: { authorization: `Bearer ${key}` } })).status;
  expect([await enter(a), await enter(b)]).toEqual([200, 200]);
  await a.owner.data('DELETE', `/keys/${id}`);
  expect([await enter(a), await enter(b)]).toEqual([401, 401]);
});

/** Begins a durable run, loses its server in the second step, and expects that the other one ends it. */
async function losing(
  id: string,
  lose: (executes: Node, run: string) => Promise<void>,
): Promise<{ lost: Node; left: Node }> {
  const outside = await startOutside(`/${id}_two`);
  const steps = ['one', 'two', 'three'].map((step) => `${id}_${step}`);
  await publish(pair[0], postingFlow(id, outside.url, steps));
  const { run } = (await call(pair[1], `/${id}`, { method: 'POST' })).body as AcceptedRun;
  await eventually(() => expect(outside.paths()).toContain(`/${id}_two`));
  const [lost, left] = await executing(pair, run);
  // For whoever asks again; the request that is held is never answered.
  outside.holds.clear();
  await lose(lost, run);
  await eventually(async () => expect(await statusOf(left, run)).toBe('ok'));
  const { claims } = await claimsOf(url, run);
  expectSteps(
    outside.log,
    steps.map((step) => `/${step}`),
    { claims, repeated: [`/${id}_two`] },
  );
  return { lost, left };
}

test('when one is killed in the middle of a durable run, the other one takes it over: no finished step is repeated', async () => {
  const { left } = await losing('killed', async (executes) => void (await executes.stop('SIGKILL')));
  expect((await call(left, '/guarded')).status).toBe(401);
  pair = [left, await join()];
});

test('one that stops hands its durable run over at once, and is listed no more', async () => {
  const { lost, left } = await losing('stopped', async (executes, run) => {
    expect(await executes.stop()).toBe(0);
    // Free, or the other one's already.
    const { claims, isHeld } = await claimsOf(url, run);
    expect(claims > 1 || !isHeld).toBe(true);
  });
  const names = (await nodesOf(left)).map(({ name }) => name);
  expect(names.filter((name) => name.endsWith(`/${lost.process.pid}`))).toEqual([]);
});
