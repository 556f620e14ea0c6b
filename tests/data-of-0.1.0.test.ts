import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unpackFolder } from './fixtures/archive.ts';
import { dataAreKept, startHook } from './fixtures/data-are-kept.ts';
import type { Facts } from './fixtures/facts.ts';
import { ask, type Owner, signIn } from './support/client.ts';
import { discard, root, shifted, startServer, tempFolder, type TestServer } from './support/server.ts';

/** A folder that 0.1.0 left (tests/fixtures/make-0.1.0.ts), opened by this version: everything is still there. */
let folder: string;
let facts: Facts;
let server: TestServer;
let owner: Owner;
let hook: Awaited<ReturnType<typeof startHook>>;

beforeAll(async () => {
  folder = tempFolder('data');
  mkdirSync(folder, { recursive: true });
  unpackFolder(join(root, 'tests/fixtures/0.1.0.json.gz'), folder);
  facts = JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')) as Facts;
  hook = await startHook();
  const db = new DatabaseSync(join(folder, 'data', 'weft.db'));
  db.prepare("UPDATE deliveries SET told = replace(told, '127.0.0.1:9/', ?)").run(`${hook.host}/`);
  db.close();
  server = await startServer({
    flows: join(folder, 'flows'),
    data: join(folder, 'data'),
    env: {
      // An hour later: what is kept for a day or a month is still kept.
      ...shifted(facts.at + 3_600_000 - Date.now()),
      WEFT_OUTBOUND_ALLOW: hook.host,
    },
  });
  owner = await signIn(server);
});
afterAll(async () => {
  await discard(server);
  hook.close();
  rmSync(folder, { recursive: true, force: true });
});

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

dataAreKept(() => ({ server, owner, facts, notices: hook.notices }));
