import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CreatedKey } from '#shared/key.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call, type Owner, signIn } from '../support/client.ts';
import { type FlowJson, httpTrigger, sayFlow } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import { discard, product, startServer, tempFolder, type TestServer } from '../support/server.ts';

/** Everything moves from a data folder into a database, and back: `weft export --all` and `weft import --all`. */
type Node = TestServer & { readonly owner: Owner };

async function start(setup: Parameters<typeof startServer>[0]): Promise<Node> {
  const server = await startServer(setup);
  onTestFinished(() => discard(server));
  return { ...server, owner: await signIn(server) };
}

async function weft(env: Record<string, string>, ...args: string[]) {
  return runProgram(process.execPath, [join(product, 'server/weft.js'), ...args], { env });
}

const counting: FlowJson = {
  format: 1,
  id: 'counting',
  nodes: {
    start: { operator: 'trigger.http', params: { path: '/counting', auth: 'none' } },
    count: { operator: 'state.add', params: { key: 'n' } },
  },
  edges: [{ from: 'start.out', to: 'count.in' }],
};

/** What an owner sees of it. */
async function seen({ owner }: Node) {
  const paths = [
    '/flows',
    '/flows/hello/versions',
    '/variables',
    '/secrets',
    '/connections',
    '/keys',
    '/providers',
    '/flows/hello/tests',
    '/evaluations',
  ];
  const [flows, ...others] = await Promise.all(paths.map((path) => owner.data<unknown>('GET', path)));
  const places = (flows as { id: string; state: string; hasDraft: boolean; version?: string }[]).map(
    ({ id, state, hasDraft, version }) => ({ id, state, hasDraft, version }),
  );
  const apps = await owner.data<{ app_list: { app_name: string }[] }>('POST', '/app/list', {});
  const keys = (others[4] as { lastUsedAt?: string }[]).map(({ lastUsedAt: _, ...key }) => key);
  return { places, others: others.with(4, keys), apps: apps.app_list.map(({ app_name }) => app_name) };
}

async function fill(server: Node): Promise<CreatedKey> {
  const { owner } = server;
  const text = (says: string): string => JSON.stringify(sayFlow('hello', says));
  const { revision } = await owner.data<{ revision: string }>('POST', '/flows', { text: text('one') });
  const two = await owner.data<{ revision: string }>('PUT', '/flows/hello', { text: text('two'), revision });
  const broken = text('x').replace('text.template', 'text.temple');
  await owner.data('PUT', '/flows/hello', { text: broken, revision: two.revision });
  await owner.data('PUT', '/flows/hello/layout', { format: 1, nodes: { say: { x: 320, y: 40 } } });
  await owner.data('POST', '/flows', { text: JSON.stringify(counting) });
  for (const expected of ['1', '2']) expect((await call(server, '/counting')).text).toBe(expected);
  await owner.data('PUT', '/variables/greeting', { value: 'Hi' });
  await owner.data('PUT', '/secrets/token', { value: 'sesame', grants: { operators: ['trigger.http'] } });
  const auth = { type: 'basic', user: 'ann', secret: { $secret: 'token' } };
  const closed = { operator: 'trigger.http', params: { path: '/closed', methods: ['GET'], auth } };
  await owner.data('POST', '/flows', { text: JSON.stringify(sayFlow('closed', 'in', closed)) });
  const greets = { name: 'greets', expect: { answer: 'two' } };
  await owner.data('POST', '/flows/hello/tests', { test: greets });
  const cases = [{ name: 'tea', input: {}, expect: { answer: 'two' } }];
  const set = { format: 1, target: { flow: 'hello' }, scorers: [{ kind: 'exact' }], cases };
  await owner.data('PUT', '/evaluations/polite', set);
  await owner.data('POST', '/app/create', {
    app_name: 'Helper',
    app_describe: 'x',
    team_mode: 'single_agent',
    language: 'en',
  });
  const guarded = { operator: 'trigger.http', params: { path: '/guarded' } };
  await owner.data('POST', '/flows', { text: JSON.stringify(sayFlow('guarded', 'let in', guarded)) });
  const accepted = { answer: 'immediately' };
  const durable = {
    ...sayFlow('durable', 'done', httpTrigger('/durable', accepted)),
    settings: { durable: true },
  };
  await owner.data('POST', '/flows', { text: JSON.stringify(durable) });
  expect((await call(server, '/durable')).status).toBe(202);
  return owner.data<CreatedKey>('POST', '/keys', { name: 'ci', scopes: ['triggers'] });
}

/** What only works if values, not only names, have moved. */
async function checkAtWork(server: Node, { key }: CreatedKey, count: string): Promise<void> {
  expect((await call(server, '/hello')).text).toBe('"two"');
  expect((await call(server, '/counting')).text).toBe(count);
  const basic = { headers: { authorization: `Basic ${btoa('ann:sesame')}` } };
  expect((await call(server, '/closed', basic)).text).toBe('"in"');
  expect((await call(server, '/guarded', { headers: { authorization: `Bearer ${key}` } })).text).toBe(
    '"let in"',
  );
}

test('everything moves into a database and back into a folder, and works there as before', async () => {
  const first = await start({});
  const key = await fill(first);
  const before = await seen(first);
  const file = join(tempFolder('moved'), 'everything.jsonl');
  const ofFolder = { WEFT_DATA: first.data, WEFT_FLOWS: first.flows };
  const inUse = await weft(ofFolder, 'export', '--all', '--out', file);
  expect([inUse.code, inUse.stderr]).toEqual([
    1,
    expect.stringContaining('Another server uses the data folder'),
  ]);
  await first.stop();

  const exported = await weft(ofFolder, 'export', '--all', '--out', file);
  expect([exported.code, exported.stderr]).toEqual([
    0,
    expect.stringContaining('Not taken: the history of runs'),
  ]);
  const text = readFileSync(file, 'utf8');
  for (const secret of ['sesame', key.key]) expect(text).not.toContain(secret);

  const secretsKey = readFileSync(join(first.data, 'secrets.key'), 'utf8').trim();
  const url = await newDatabase();
  const database = { WEFT_DATABASE_URL: url, WEFT_SECRETS_KEY: secretsKey };
  const place = { WEFT_DATA: tempFolder('data'), WEFT_FLOWS: tempFolder('flows') };
  const other = await weft(
    { ...database, ...place, WEFT_SECRETS_KEY: '22'.repeat(32), WEFT_DATABASE_URL: await newDatabase() },
    'import',
    '--all',
    file,
  );
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('secrets_key_other: ')]);
  const imported = await weft({ ...database, ...place }, 'import', '--all', file);
  expect([imported.stderr, imported.code]).toEqual(['', 0]);
  expect(imported.stdout).toContain('imported 5 flows, ');

  const second = await start({ env: database });
  expect(await seen(second)).toEqual(before);
  await checkAtWork(second, key, '3');
  const again = await weft({ ...database, ...place }, 'import', '--all', file);
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/Servers use this database \(.*\): stop them/),
  ]);

  // A database may be exported while its servers run.
  const back = join(tempFolder('moved'), 'back.jsonl');
  const third = { flows: tempFolder('flows'), data: tempFolder('data') };
  expect((await weft({ ...database, ...place }, 'export', '--all', '--out', back)).code).toBe(0);
  const ofThird = { WEFT_FLOWS: third.flows, WEFT_DATA: third.data, WEFT_SECRETS_KEY: secretsKey };
  const returned = await weft(ofThird, 'import', '--all', back);
  expect([returned.stderr, returned.code]).toEqual(['', 0]);
  const last = await start({ ...third, env: { WEFT_SECRETS_KEY: secretsKey } });
  expect(await seen(last)).toEqual(before);
  await checkAtWork(last, key, '4');
  // Runs stay behind, so none is missing.
  expect((await fetch(`${last.url}/readyz`)).status).toBe(200);
});

test('a file that is cut off or damaged, or a place that is not empty, changes nothing', async () => {
  const folders = { WEFT_DATA: tempFolder('data'), WEFT_FLOWS: tempFolder('flows') };
  writeFileSync(join(folders.WEFT_FLOWS, 'hello.json'), JSON.stringify(sayFlow('hello', 'one')));
  const file = join(tempFolder('moved'), 'everything.jsonl');
  expect((await weft(folders, 'export', '--all', '--out', file)).code).toBe(0);
  expect((await weft(folders, 'export', '--all', '--out', file)).stderr).toContain('already exists');
  expect((await weft(folders, 'import', '--all', file)).stderr).toContain('There are flows already');
  const empty = { WEFT_DATA: tempFolder('data'), WEFT_FLOWS: tempFolder('flows') };
  const text = readFileSync(file, 'utf8');
  const wrong: [string, string][] = [
    [text.split('\n').slice(0, -2).join('\n'), 'its end is missing'],
    [text.replace('"kind":"flow"', '"kind":"flaw"'), 'it is damaged'],
    ['', 'Line 1 of the file cannot be read'],
  ];
  for (const [content, says] of wrong) {
    writeFileSync(file, content);
    const { code, stderr } = await weft(empty, 'import', '--all', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
  }
  writeFileSync(file, text);
  expect((await weft(empty, 'import', '--all', file)).stdout).toContain('imported 1 flow, ');
});
