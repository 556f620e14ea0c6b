import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDb } from './db.ts';
import { openWeftSql } from '../../storage/database/weft-tables.ts';
import type { Config } from '../config/config.ts';
import { createVersionStore } from '../../flows/service/versions.ts';
import { actorNamed, helloFlow } from '../../flows/service/testing/flow-fixture.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { findLosses } from './lost-data.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { openSecrets } from '../secrets/store.ts';
import { type RunningServer, startServer } from '../../server.ts';
import { StartError } from '../errors/start-error.ts';
import { testConfig } from '../../testing/fake-context.ts';
import { triggerPrefix } from '../../api/triggers/front-door.ts';
import { eventually } from '../../../tests/support/eventually.ts';

/** A complete data folder as a server left it; each test damages a copy. */
let home: string;
let wait: string;
let versions: string[];
let key: string;

const asking = JSON.stringify({
  format: 1,
  id: 'asking',
  nodes: {
    trigger: { operator: 'trigger.http', params: { path: '/asking', auth: 'none' } },
    ask: { operator: 'human.approval', params: { title: 'May it go on?' } },
  },
  edges: [{ from: 'trigger.out', to: 'ask.in' }],
  settings: { durable: true },
});

function configOf(folder: string): Config {
  const [flows, operators, data] = ['flows', 'operators', 'data'].map((name) => join(folder, name));
  return testConfig({ flows: [flows as string], operators: operators as string, data: data as string });
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'weft-'));
  mkdirSync(join(home, 'flows'));
  writeFileSync(join(home, 'flows', 'asking.json'), asking);
  const server = await startServer(configOf(home), { editorFiles: '/nonexistent' });
  const { ctx } = server;
  ({ key } = await ctx.keys.create({ name: 'decider', scopes: ['runs:write'] }));
  const actor = actorNamed('ann');
  const made = await ctx.flows.save('hello', helloFlow('hello'), { revision: undefined, actor });
  await ctx.flows.save('hello', helloFlow('hello', { says: 'Hi' }), { revision: made.revision, actor });
  versions = (await ctx.flows.versions('hello')).map(({ version }) => version);
  await ctx.variables.set('color', 'red');
  await ctx.secrets.put('token', { value: 'a secret value', grants: { operators: ['a'] } });
  expect((await fetch(at(server, `${triggerPrefix}/asking`))).status).toBe(202);
  wait = await eventually(async () => {
    const [open] = (await ctx.waits.list({ status: 'open', limit: 1 } as never)).waits;
    expect(open && (await ctx.durable.get(open.run))?.status).toBe('waiting');
    return (open as { id: string }).id;
  });
  await fetch(at(server, `${triggerPrefix}/hello`));
  await server.stop();
});
afterAll(() => rmSync(home, { recursive: true }));

const at = (server: RunningServer, path: string): string => `http://127.0.0.1:${server.port}${path}`;

/** A copy of the folder, to be damaged. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(home, folder, { recursive: true });
  return folder;
}

const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
  deleted: (file) => rmSync(file),
  emptied: (file) => truncateSync(file, 0),
  'cut in half': (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
};

/** The server's report about its data: the refusal to start, or the lost stores. */
async function reported(folder: string) {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  try {
    const server = await startServer(configOf(folder), { editorFiles: '/nonexistent', log });
    onTestFinished(() => server.stop());
    const answer = await fetch(at(server, '/readyz'));
    const ready = (await answer.json()) as { checks: Record<string, string>; lost?: string[] };
    return { server, status: answer.status, ready, log: lines.join('') };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    expect(error.message).not.toContain('\n');
    return { refused: error.message };
  }
}

test('a folder that is whole has lost nothing', async () => {
  const found = await reported(copy());
  expect(found).toMatchObject({ status: 200, ready: { status: 'ready' } });
  expect(found.ready?.lost).toBeUndefined();
});

describe.each(Object.keys(DAMAGES))('a store that is %s', (how) => {
  test.each(['weft.db', 'db.json', 'secrets.json', 'durable.db'])('is reported: %s', async (store) => {
    const folder = copy();
    DAMAGES[how]?.(join(folder, 'data', store));
    const found = await reported(folder);
    if (found.refused !== undefined) return expect(found.refused).toContain(store);
    expect(found.ready?.lost).toContain(store);
    expect(found.log).toContain(store);
    expect(found.status).toBe(store === 'durable.db' ? 503 : 200);
  });

  test('durable.db: the decision of a run that is gone is refused', async () => {
    const folder = copy();
    DAMAGES[how]?.(join(folder, 'data', 'durable.db'));
    const { server } = await reported(folder);
    const answer = await fetch(at(server as RunningServer, `/api/v1/waits/${wait}/decide`), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'approved' }),
    });
    const text = await answer.text();
    expect({ status: answer.status, text }).toMatchObject(
      how === 'cut in half'
        ? { status: 503, text: expect.stringContaining('storage_failed') }
        : { status: 410, text: expect.stringContaining('wait_run_lost') },
    );
  });

  test('an index of versions lists what is kept all the same', async () => {
    const folder = copy();
    DAMAGES[how]?.(join(folder, 'data', 'versions', 'hello', 'index.jsonl'));
    const warnings: string[] = [];
    const store = createVersionStore(
      join(folder, 'data', 'versions'),
      (_, message) => void warnings.push(message),
    );
    const listed = (await store.list('hello')).map(({ version }) => version);
    expect(listed.sort()).toEqual([...versions].sort());
    expect(warnings).toEqual([expect.stringContaining('hello')]);
  });
});

test('a database that is cut at any place is reported', () => {
  const folder = copy();
  for (const store of ['weft.db', 'durable.db']) {
    const file = join(folder, 'data', store);
    const whole = readFileSync(file);
    for (let part = 1; part <= 10; part++) {
      writeFileSync(file, whole.subarray(0, Math.floor((whole.length * part) / 11)));
      if (store === 'weft.db') expect(() => openWeftSql(join(folder, 'data'))).toThrow(StartError);
      else expect(findLosses(join(folder, 'data'), { environment: false })).toMatchObject([{ store }]);
    }
    writeFileSync(file, whole);
  }
});

test('a file of documents or secrets that is cut anywhere, and secrets with any bit flipped, keep the server from starting', async () => {
  const data = join(copy(), 'data');
  const cuts = (whole: Buffer): Buffer[] =>
    Array.from({ length: 10 }, (_, part) => whole.subarray(0, Math.floor((whole.length * part) / 10)));
  const documents = readFileSync(join(data, 'db.json'));
  for (const cut of cuts(documents)) {
    writeFileSync(join(data, 'db.json'), cut);
    await expect(openDb(join(data, 'db.json'))).rejects.toThrow(StartError);
  }
  for (const text of ['[]', '5', '{"keys": {}}', '{"variables": []}']) {
    writeFileSync(join(data, 'db.json'), text);
    await expect(openDb(join(data, 'db.json')), text).rejects.toThrow(StartError);
  }
  const whole = readFileSync(join(data, 'secrets.json'));
  const open = () =>
    openSecrets({
      data,
      key: undefined,
      environment: {},
      grants: {},
      redactor: createRedactor(),
      now: Date.now,
    });
  const flips = Array.from({ length: 100 }, (_, i) => {
    const flipped = Buffer.from(whole);
    const place = Math.floor((whole.length * i) / 100);
    flipped[place] = (flipped[place] as number) ^ (1 << (i % 8));
    return flipped;
  });
  for (const damaged of [...cuts(whole), ...flips]) {
    writeFileSync(join(data, 'secrets.json'), damaged);
    const value = (): string => open().use('token', { flow: 'f', operator: 'a' });
    let found: string;
    try {
      found = value();
    } catch (error) {
      expect((error as Error).name).toBe('StartError');
      continue;
    }
    expect(found).toBe('a secret value');
  }
});

test('a guess of a stranger at an address of a run or a wait is no sign that runs were accepted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'flows'));
  const server = await startServer(configOf(folder), { editorFiles: '/nonexistent' });
  expect((await fetch(at(server, '/api/v1/run-status/guess?token=guess'))).status).toBe(404);
  expect((await fetch(at(server, '/wait/run.node?token=guess'))).status).toBe(403);
  await server.stop();
  expect(findLosses(configOf(folder).data, { environment: true })).toEqual([]);
});

test.each([
  ['connections', 'db.json', '{ "connections": { "default": { "shop": {} } } }'],
  ['stored outputs', 'outputs.db', 'x'],
])('a key that is there for %s misses no secrets', async (_, file, content) => {
  const data = await tempFolder();
  writeFileSync(join(data, 'secrets.key'), 'a key');
  const losses = (): string[] => findLosses(data, { environment: false }).map(({ store }) => store);
  writeFileSync(join(data, 'db.json'), '{ "connections": { "default": {} } }');
  expect(losses()).toContain('secrets.json');
  writeFileSync(join(data, file), content);
  expect(losses()).not.toContain('secrets.json');
});
