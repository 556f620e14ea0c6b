import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { ask, call } from '../support/client.ts';
import { publish, SECRETS_KEY, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { sayFlow } from '../support/flows.ts';
import { type Ended, runProgram } from '../support/process.ts';
import { product, tempFolder } from '../support/server.ts';

/** The command line on a shared database, on a machine where no server runs. */
function weft(url: string, ...args: string[]): Promise<Ended> {
  const env = {
    WEFT_DATABASE_URL: url,
    WEFT_SECRETS_KEY: SECRETS_KEY,
    // There is no such folder yet, and none is needed.
    WEFT_DATA: join(tempFolder('data'), 'none'),
    WEFT_FLOWS: tempFolder('flows'),
  };
  return runProgram(process.execPath, [join(product, 'server/weft.js'), ...args], { env });
}

test('keys, connections, audit and runs are read and changed in the database, and servers elsewhere hear of it', async () => {
  const url = await newDatabase();
  const node = await startNode(url);
  await publish(node, sayFlow('hello', 'ha'));
  expect((await call(node, '/hello')).status).toBe(200);

  const made = await weft(url, 'keys', 'create', 'ops', '--scopes', 'admin,runs:read');
  expect(made.code, made.stderr).toBe(0);
  const key = made.stdout.trim();
  const asked = () => ask(`${node.url}/api/v1/nodes`, { headers: { authorization: `Bearer ${key}` } });
  // Made known when the command has ended.
  expect((await asked()).status).toBe(200);
  expect((await weft(url, 'keys', 'list')).stdout).toContain('ops');
  expect((await weft(url, 'keys', 'revoke', 'ops')).code).toBe(0);
  expect((await asked()).status).toBe(401);
  const audit = await weft(url, 'audit', '--actor', 'command line');
  expect(audit.stdout).toContain('API key revoked');
  expect(audit.stdout).toContain('API key made');

  const settings = { user: 'u', password: 'p', host: 'db.example.com', database: 'd' };
  await node.owner.data('PUT', '/connections/crm', { kind: 'postgres', settings });
  expect((await weft(url, 'connections', 'list')).stdout).toContain('crm  postgres  ');
  expect((await weft(url, 'connections', 'limit', 'crm', '60/minute')).code).toBe(0);
  const all = await node.owner.data<{ name: string; rate?: unknown }[]>('GET', '/connections');
  expect(all).toMatchObject([{ name: 'crm', rate: { limit: 60, per: 'minute' } }]);
  expect((await weft(url, 'dead-letters', 'list')).stderr).toContain('There are no dead letters.');

  const { runs } = await node.owner.data<{ runs: RunSummary[] }>('GET', '/runs?flow=hello');
  const id = runs[0]?.run as string;
  await eventually(async () => expect((await weft(url, 'diff', '--runs', id, id)).code).toBe(0));
});

test('what needs a server says so with a code, and what to do', async () => {
  const url = await newDatabase();
  const node = await startNode(url);
  await node.stop();
  const file = join(tempFolder('flows'), 'a.json');
  writeFileSync(file, '{}');
  for (const args of [['open'], ['dead-letters', 'retry', '--flow', 'x'], ['import', file]]) {
    const { code, stderr } = await weft(url, ...args);
    expect([args[0], code, stderr]).toEqual([args[0], 1, expect.stringContaining('command_needs_server: ')]);
    expect(stderr).toMatch(/start one, set WEFT_DATA .*, or /);
  }
});

test('a database of another format is left as it is, and that is said with a code', async () => {
  const url = await newDatabase();
  const empty = await weft(url, 'keys', 'list');
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('database_older: ')]);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  expect(await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`).toEqual([]);

  const tried = await weft(url, 'migrate', '--dry-run');
  expect(tried.stdout).toMatch(/^Would be done:\n {2}1 project in every key\n/);
  expect(await sql`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`).toEqual([]);
  expect((await weft(url, 'migrate')).stdout).toMatch(/^Done:\n/);
  expect((await weft(url, 'migrate', '--dry-run')).stdout).toBe('The database has the newest format.\n');
  expect((await weft(url, 'keys', 'list')).stderr).toContain('There are no keys');

  // An older build, on what a newer one has migrated.
  await sql`INSERT INTO migration (n, name, at) VALUES (9999, 'of the future', 0)`;
  for (const args of [['keys', 'list'], ['nodes'], ['migrate', '--dry-run'], ['migrate'], ['serve']]) {
    const { code, stderr } = await weft(url, ...args);
    expect([args[0], code, stderr]).toEqual([args[0], 1, expect.stringContaining('database_newer: ')]);
  }
});
