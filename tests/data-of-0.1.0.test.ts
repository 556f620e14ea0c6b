import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FlowDetail, FlowVersion, RunExport, RunPage, Schedule, SecretInfo } from '#shared/api.ts';
import type { DeadLetterPage, Delivery } from '#shared/calls-api.ts';
import type { KeyInfo } from '#shared/key.ts';
import type { WaitPage } from '#shared/wait.ts';
import { unpackFolder } from './fixtures/archive.ts';
import type { Facts } from './fixtures/facts.ts';
import { ask, call, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { discard, root, shifted, startServer, tempFolder, type TestServer } from './support/server.ts';

/** A folder that 0.1.0 left (tests/fixtures/make-0.1.0.ts), opened by this version: everything is still there. */
let folder: string;
let facts: Facts;
let server: TestServer;
let owner: Owner;
let keyed: Record<string, string>;

/** Who gets the notice that nobody took then. */
const notices: { run: string; key: string }[] = [];
const hook = createServer((request, response) => {
  void text(request).then((body) => {
    const { run } = JSON.parse(body) as { run: string };
    notices.push({ run, key: String(request.headers['idempotency-key']) });
    response.end();
  });
});

beforeAll(async () => {
  folder = tempFolder('data');
  mkdirSync(folder, { recursive: true });
  unpackFolder(join(root, 'tests/fixtures/0.1.0.json.gz'), folder);
  facts = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')) as Facts;
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const { port } = hook.address() as AddressInfo;
  const db = new DatabaseSync(join(folder, 'data', 'weft.db'));
  db.prepare("UPDATE deliveries SET told = replace(told, '127.0.0.1:9/', ?)").run(`127.0.0.1:${port}/`);
  db.close();
  server = await startServer({
    flows: join(folder, 'flows'),
    data: join(folder, 'data'),
    env: {
      // An hour later: what is kept for a day or a month is still kept.
      ...shifted(facts.at + 3_600_000 - Date.now()),
      WEFT_OUTBOUND_ALLOW: `127.0.0.1:${port}`,
    },
  });
  owner = await signIn(server);
  keyed = { authorization: `Bearer ${facts.key}` };
});
afterAll(async () => {
  await discard(server);
  hook.close();
  rmSync(folder, { recursive: true, force: true });
});

const runOf = async (id: string) => owner.data<RunPage['runs'][number]>('GET', `/runs/${id}`);

test('nothing is reported as lost, and the folder has a manifest now', async () => {
  expect((await ask(`${server.url}/readyz`)).body).not.toHaveProperty('lost');
  expect((await owner.data<{ lost: string[] }>('GET', '/session')).lost).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(folder, 'data', 'manifest.json'), 'utf8')) as {
    stores: object;
  };
  expect(Object.keys(manifest.stores).sort()).toEqual(
    ['blobs', 'db.json', 'durable.db', 'runs', 'secrets.json', 'versions', 'weft.db'].sort(),
  );
});

describe('documents', () => {
  test('keys', async () => {
    const keys = await owner.data<KeyInfo[]>('GET', '/keys');
    expect(keys.map(({ name }) => name)).toContain('desk');
    for (const key of [facts.key, facts.firstKey])
      expect(
        (await ask(`${server.url}/api/v1/flows`, { headers: { authorization: `Bearer ${key}` } })).status,
      ).toBe(200);
  });

  test('variables, providers, budgets, apps', async () => {
    expect(await owner.data('GET', '/variables')).toMatchObject([{ name: 'color', value: 'red' }]);
    expect(JSON.stringify(await owner.data('GET', '/providers'))).toContain('llama3');
    expect(await owner.data('GET', '/budgets')).toMatchObject({
      answer: { tokens: 50_000 },
      apps: { '*': { cost: 5 } },
    });
    const { body } = await ask(`${server.url}/api/v2/serve/apps/${facts.app}`, { headers: keyed });
    expect(body).toMatchObject({ data: { app_name: 'Support desk' } });
  });

  test('a secret that opens', async () => {
    expect(await owner.data<SecretInfo[]>('GET', '/secrets')).toMatchObject([{ name: 'door' }]);
    const enter = (password: string) =>
      call(server, '/guarded', {
        headers: { authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` },
      });
    expect((await enter('open sesame')).body).toBe('come in');
    expect((await enter('wrong')).status).toBe(401);
  });
});

describe('flows', () => {
  test('versions with their texts and labels, the draft, the layout and the pin', async () => {
    const versions = await owner.data<FlowVersion[]>('GET', '/flows/hello/versions');
    expect(versions.map(({ version }) => version)).toEqual(facts.versions);
    expect(versions[1]).toMatchObject({ label: 'the first' });
    const { text: first } = await owner.data<{ text: string }>(
      'GET',
      `/flows/hello/versions/${facts.versions[1]}`,
    );
    expect(first).toContain('Hello {{ vars.color }}');
    expect((await owner.data<FlowDetail>('GET', '/flows/hello')).text).toContain('A draft');
    expect(await owner.data('GET', '/flows/hello/layout')).toMatchObject({
      nodes: { say: { x: 320, y: 80 } },
    });
    expect(JSON.stringify(await owner.data('GET', '/flows/hello/pins'))).toContain('pinned');
    expect((await call(server, '/hello')).body).toBe('Hello again, red');
  });

  test('a schedule goes on where it was', async () => {
    const [schedule] = await owner.data<Schedule[]>('GET', '/schedules');
    expect(schedule).toMatchObject({ flow: 'yearly', timezone: 'Europe/Oslo', seenTo: facts.seenTo });
  });
});

describe('what runs left', () => {
  test('all runs, with their events and large values', async () => {
    for (const { run, flow, status } of facts.runs)
      expect(await runOf(run)).toMatchObject(status === 'waiting' ? { flow } : { flow, status });
    const { events } = (await owner.api('GET', `/runs/${facts.large}/export`)).body as RunExport;
    expect(events.at(-1)).toMatchObject({ kind: 'run-finished' });
    const [hash] = /[0-9a-f]{64}/.exec(JSON.stringify(events)) ?? [];
    const value = await owner.api('GET', `/runs/${facts.large}/values/${hash}`);
    expect(value.text).toContain('19999');
  });

  test('a conversation, and what models used', async () => {
    const { body } = await ask(`${server.url}/api/v1/chat/conversations/${facts.conversation}`, {
      headers: keyed,
    });
    expect(JSON.stringify(body)).toContain('Count to 5');
    const { total } = facts.usage as { total: object };
    expect(await owner.data('GET', '/usage')).toMatchObject({ total });
  });

  test('an idempotent answer comes back, and state goes on counting', async () => {
    const again = await call(server, '/counted', {
      method: 'POST',
      headers: { 'idempotency-key': 'order-17', 'content-type': 'application/json' },
      body: '{"cup":1}',
    });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-weft-run')).toBe(facts.answered.run);
    expect(again.text).toBe(facts.answered.text);
    expect((await call(server, '/counted')).body).toBe(Number(facts.answered.text) + 1);
  });

  test('the answer of a durable run at its address', async () => {
    const { body } = await ask(`${server.url}${facts.ended.statusUrl}`);
    expect(body).toMatchObject({
      data: { status: 'ok', answer: { body: 'done' } },
    });
  });

  test('a dead letter, which can be tried again', async () => {
    const { deadLetters } = await owner.data<DeadLetterPage>('GET', '/dead-letters');
    expect(deadLetters).toMatchObject([{ run: facts.broken, flow: 'breaks' }]);
    const retried = await owner.data<object>('POST', '/dead-letters/retry', { runs: [facts.broken] });
    expect(JSON.stringify(retried)).toContain(facts.broken);
  });

  test('a notice that nobody took is sent', async () => {
    await eventually(() => expect(notices).toContainEqual({ run: facts.told, key: facts.told }));
    await eventually(async () => expect(await owner.data<Delivery[]>('GET', '/deliveries')).toEqual([]));
  });

  test('a run that waits is decided, and ends', async () => {
    const [wait] = (await owner.data<WaitPage>('GET', '/waits')).waits;
    expect(wait).toMatchObject({ run: facts.waiting.run, flow: 'asking' });
    await owner.data('POST', `/waits/${wait?.id}/decide`, { decision: 'approved' });
    await eventually(async () => {
      const { body } = await ask(`${server.url}${facts.waiting.statusUrl}`);
      expect(body).toMatchObject({ data: { status: 'ok', answer: { body: 'went on with red' } } });
    });
  });
});
