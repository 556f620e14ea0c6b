import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { NodeInfo } from '#shared/node.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call, signIn } from '../support/client.ts';
import { type Node, publish, SECRETS_KEY, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, lateFlow, sayFlow } from '../support/flows.ts';
import { type Ended, runProgram } from '../support/process.ts';
import { discard, product, startServer, tempFolder } from '../support/server.ts';

/** `weft secrets rotate`: another key for what is sealed, while servers run. */
const NEW_KEY = '22'.repeat(32);
const BOTH = { WEFT_SECRETS_KEY: SECRETS_KEY, WEFT_SECRETS_KEY_NEXT: NEW_KEY };

function secrets(command: readonly string[], env: Record<string, string | undefined>): Promise<Ended> {
  const own = { WEFT_DATA: tempFolder('data'), WEFT_FLOWS: tempFolder('flows'), ...env };
  const program = [join(product, 'server/weft.js'), 'secrets', ...command];
  return runProgram(process.execPath, program, { env: own });
}

const rotate = (env: Record<string, string | undefined>): Promise<Ended> => secrets(['rotate'], env);

/** Answers whoever knows the password, which is a secret. */
const guarded: FlowJson = sayFlow(
  'guarded',
  'ha',
  httpTrigger('/guarded', { auth: { type: 'basic', user: 'ann', secret: { $secret: 'door' } } }),
);

type Owned = Pick<Node, 'owner' | 'url'>;

async function fill({ owner }: Owned): Promise<void> {
  const grants = { operators: ['trigger.http'] };
  await owner.data('PUT', '/secrets/door', { value: 'open sesame', grants });
  const settings = { user: 'u', password: 'p', host: '127.0.0.1', port: 1, database: 'd' };
  await owner.data('PUT', '/connections/crm', { kind: 'postgres', settings });
}

const enter = async (node: Owned): Promise<number> => {
  const authorization = `Basic ${Buffer.from('ann:open sesame').toString('base64')}`;
  return (await call(node, '/guarded', { headers: { authorization } })).status;
};

/** Whether the settings of the connection can be read: then its address is the problem. */
async function opensConnection({ owner }: Owned): Promise<boolean> {
  const all = await owner.data<{ name: string; broken?: string }[]>('GET', '/connections');
  return all.length === 1 && all.every(({ broken }) => broken === undefined);
}

test('servers that were given the new key go on, and one that was not prevents it, or is told at its start', async () => {
  const url = await newDatabase();
  const database = { WEFT_DATABASE_URL: url };
  const old = await startNode(url);
  const a = await startNode(url, BOTH);
  await fill(a);
  await publish(a, guarded);
  const refused = await rotate({ ...database, ...BOTH });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('secrets_key_lacking: ')]);
  expect(await enter(old)).toBe(200);
  await old.stop();

  const b = await startNode(url, BOTH);
  await publish(a, lateFlow('slow', 'done', 15_000));
  const slow = call(a, '/slow');
  const codes: number[] = [];
  let over = false;
  const load = (async () => {
    while (!over) codes.push(await enter(a), await enter(b));
  })();
  const done = await rotate({ ...database, ...BOTH });
  expect([done.code, done.stderr]).toEqual([
    0,
    expect.stringContaining('Sealed anew: 1 secret, 1 connection.'),
  ]);
  // Servers still ask each other for runs of theirs.
  const { runs } = await b.owner.data<{ runs: { flow: string; server?: string }[] }>(
    'GET',
    '/runs?flow=slow',
  );
  expect(runs).toMatchObject([{ flow: 'slow' }]);
  over = true;
  await load;
  expect(new Set(codes)).toEqual(new Set([200]));
  expect((await slow).status).toBe(200);

  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  // What is changed from now on has the new key, and the other server reads it.
  await a.owner.data('PUT', '/secrets/more', { value: 'x', grants: {} });
  expect(await b.owner.data<unknown[]>('GET', '/secrets')).toHaveLength(2);
  await expect(startNode(url)).rejects.toThrow('secrets_key_rotated: ');
  await expect(startNode(url, { WEFT_SECRETS_KEY: '33'.repeat(32) })).rejects.toThrow('secrets_key_other: ');
  await b.stop();
  const c = await startNode(url, { WEFT_SECRETS_KEY: NEW_KEY });
  expect([await enter(c), await opensConnection(c), await enter(a), await opensConnection(a)]).toEqual([
    200,
    true,
    200,
    true,
  ]);
  // Nothing needs the key before any more, except to read what was sealed with it.
  await sql`DELETE FROM agreed WHERE name = 'secrets-former'`;
  const d = await startNode(url, { WEFT_SECRETS_KEY: NEW_KEY });
  expect([await enter(d), await opensConnection(d)]).toEqual([200, true]);
});

test('a server that was cut off and was not given the new key says so, and grants nothing from what it knew', async () => {
  const url = await newDatabase();
  const [away, a] = [await startNode(url), await startNode(url, BOTH)];
  await fill(a);
  away.process.kill('SIGSTOP');
  // Until nobody waits for it any more.
  await eventually(async () => {
    const list = await a.owner.data<NodeInfo[]>('GET', '/nodes');
    expect(list.map(({ state }) => state).sort()).toEqual(['gone', 'up']);
  });
  expect((await rotate({ WEFT_DATABASE_URL: url, ...BOTH })).code).toBe(0);
  away.process.kill('SIGCONT');
  await eventually(() => expect(away.output()).toContain('secrets_key_rotated: '));
  await eventually(async () =>
    expect((await away.owner.api('GET', '/secrets')).body).toMatchObject({ err_code: 'database_stale' }),
  );
});

/** Hidden fields: all that durable runs record is sealed, and so are answers that are kept for repeats. */
function hidingFlow(id: string, nodes: FlowJson['nodes'], params: Record<string, unknown>): FlowJson {
  const request = {
    type: 'object',
    properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
  };
  const names = ['start', ...Object.keys(nodes), 'say'];
  return {
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'], request, ...params }),
      ...nodes,
      say: { operator: 'core.map', params: { value: '{{ trigger.body.user + trigger.body.password }}' } },
    },
    edges: names.slice(1).map((to, i) => ({
      from: `${names[i]}.${names[i] === 'ask' ? 'approved' : 'out'}`,
      to: `${to}.in`,
    })),
  };
}

test('former keys are forgotten once what they have sealed is sealed anew: runs go on, and repeats are answered', async () => {
  const url = await newDatabase();
  const both = { WEFT_DATABASE_URL: url, ...BOTH };
  const a = await startNode(url, BOTH);
  expect((await secrets(['forget'], both)).stderr).toBe('There is no former key.\n');
  await fill(a);
  const ask = { operator: 'human.approval', params: { title: 'Go on?' } };
  await publish(a, hidingFlow('asks', { ask }, { answer: 'immediately' }));
  await publish(a, hidingFlow('answers', {}, {}));
  const sent = (key?: string): RequestInit => ({
    method: 'POST',
    body: JSON.stringify({ user: 'ann ', password: 'swordfish' }),
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
  });
  const { run } = (await call(a, '/asks', sent())).body as { run: string };
  const answered = await call(a, '/answers', sent('two'));
  expect(answered.text).toBe('"ann swordfish"');
  const wait = await eventually(async () => {
    const { waits } = await a.owner.data<{ waits: { id: string }[] }>('GET', `/waits?run=${run}&status=open`);
    expect(waits).toHaveLength(1);
    return waits[0]?.id;
  });
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  await eventually(async () => {
    const rows = await sql`SELECT 1 FROM idempotency WHERE state = 'answered' AND headers IS NULL`;
    expect(rows).toHaveLength(1);
  });

  expect((await rotate(both)).code).toBe(0);
  const old = await secrets(['forget'], { WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: SECRETS_KEY });
  expect([old.code, old.stderr]).toEqual([1, expect.stringContaining('secrets_key_rotated: ')]);
  const found = await secrets(['forget', '--dry-run', '--json'], both);
  const counted = JSON.parse(found.stdout) as { answers: number; durable: number };
  expect(counted).toMatchObject({ dryRun: true, keys: 1, answers: 1, notices: 0, lost: 0 });
  expect(counted.durable).toBeGreaterThan(0);
  const done = await secrets(['forget'], both);
  expect([done.code, done.stderr]).toEqual([
    0,
    `Sealed anew: 1 idempotency answer, 0 notices, ${counted.durable} text${counted.durable === 1 ? '' : 's'} of durable runs. 1 former key forgotten.\n`,
  ]);
  expect((await secrets(['forget'], both)).stderr).toBe('There is no former key.\n');
  const audit = await a.owner.data<{ entries: { what: string }[] }>('GET', '/audit');
  expect(audit.entries.map(({ what }) => what)).toContain('former secrets keys forgotten');

  // On the server that is there, and on one that has only ever known the new key.
  expect((await call(a, '/answers', sent('two'))).text).toBe(answered.text);
  const b = await startNode(url, { WEFT_SECRETS_KEY: NEW_KEY });
  expect((await call(b, '/answers', sent('two'))).text).toBe(answered.text);
  await a.stop();
  await b.owner.data('POST', `/waits/${wait}/decide`, { decision: 'approved' });
  await eventually(async () =>
    expect(await b.owner.data('GET', `/runs/${run}`)).toMatchObject({ status: 'ok' }),
  );
  await expect(startNode(url)).rejects.toThrow('secrets_key_other: ');
});

test('in a data folder: the running server goes on with a new key file, and starts with it', async () => {
  const data = tempFolder('data');
  const env = { WEFT_DATA: data };
  const first = await startServer({ data });
  const owned = { url: first.url, owner: await signIn(first) };
  await fill(owned);
  await publish({ ...first, ...owned }, guarded);
  const done = await rotate(env);
  expect([done.code, done.stderr]).toEqual([0, 'Sealed anew: 1 secret, 1 connection.\n']);
  expect([await enter(owned), await opensConnection(owned)]).toEqual([200, true]);
  await owned.owner.data('PUT', '/secrets/more', { value: 'x', grants: {} });
  await first.stop();
  // And without a server, from the key file to a key of the settings' own.
  expect((await rotate(env)).stderr).toContain('Sealed anew: 2 secrets, 1 connection.');
  const second = await startServer({ data, flows: first.flows });
  onTestFinished(() => discard(second));
  const again = { url: second.url, owner: await signIn(second) };
  expect([await enter(again), await opensConnection(again)]).toEqual([200, true]);
  await second.stop();

  const withKey = await startServer({ env: { WEFT_SECRETS_KEY: SECRETS_KEY } });
  const named = { url: withKey.url, owner: await signIn(withKey) };
  await fill(named);
  expect((await rotate({ WEFT_DATA: withKey.data, ...BOTH })).code).toBe(0);
  expect(await opensConnection(named)).toBe(true);
  await withKey.stop();
  const folders = { data: withKey.data, flows: withKey.flows };
  await expect(startServer({ ...folders, env: { WEFT_SECRETS_KEY: SECRETS_KEY } })).rejects.toThrow(
    'secrets_key_rotated: ',
  );
  const third = await startServer({ ...folders, env: { WEFT_SECRETS_KEY: NEW_KEY } });
  onTestFinished(() => discard(third));
  expect(await opensConnection({ url: third.url, owner: await signIn(third) })).toBe(true);
});
