import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { CreatedKey } from '#shared/key.ts';
import type { RunSummary } from '#shared/run-event.ts';
import type { WaitPage } from '#shared/wait.ts';
import { postgresTools } from '../runner/services.ts';
import { call } from '../support/client.ts';
import { publish, SECRETS_KEY, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { askingFlow, sayFlow } from '../support/flows.ts';
import { startServer, tempFolder } from '../support/server.ts';
import { freePort } from './proxy-suite.ts';

/** PostgreSQL refuses to run as root, so there it runs as the user who owns nothing. */
const NOBODY = 65_534;
const AS = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** A folder of the user who runs PostgreSQL; removed after the test. */
function databaseFolder(): string {
  const folder = tempFolder('pg');
  chmodSync(folder, 0o700);
  if (AS.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One of PostgreSQL's programs; throws what it says if it fails. */
function tool(name: string, folder: string, ...args: string[]): void {
  const path = join(postgresTools() ?? '', name);
  const { status, stderr } = spawnSync(path, args, { ...AS, cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
}

interface Cluster {
  readonly port: number;
  readonly admin: postgres.Sql;
}

/** A PostgreSQL server on the data in `folder`; ends with the test. */
async function serve(folder: string): Promise<Cluster> {
  const port = await freePort();
  const args = ['-D', join(folder, 'data'), '-p', String(port), '-k', folder, '-h', '127.0.0.1'];
  const child = spawn(join(postgresTools() ?? '', 'postgres'), args, {
    ...AS,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  void text(child.stderr);
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  onTestFinished(async () => {
    child.kill('SIGQUIT');
    await ended;
  });
  const options = { host: '127.0.0.1', port, username: 'weft', database: 'postgres', max: 1 };
  const admin = postgres({ ...options, onnotice: () => {} });
  onTestFinished(() => admin.end({ timeout: 1 }));
  await eventually(() => admin`SELECT 1`);
  return { port, admin };
}

async function newCluster(): Promise<Cluster> {
  const folder = databaseFolder();
  const data = join(folder, 'data');
  tool(
    'initdb',
    folder,
    '--pgdata',
    data,
    '--username',
    'weft',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
  );
  return serve(folder);
}

test('what pg_dump has taken from running servers is restored with their keys, flows and waiting runs', async () => {
  const { port, admin } = await newCluster();
  const url = (name: string) => `postgres://weft@127.0.0.1:${port}/${name}`;
  await admin.unsafe('CREATE DATABASE weft');
  const a = await startNode(url('weft'));
  const guarded = sayFlow('guarded', 'in', { operator: 'trigger.http', params: { path: '/guarded' } });
  await publish(a, guarded);
  await publish(a, askingFlow);
  const { key } = await a.owner.data<CreatedKey>('POST', '/keys', { name: 'ci', scopes: ['triggers'] });
  const { run } = (await call(a, '/asking')).body as AcceptedRun;
  await eventually(async () =>
    expect(await a.owner.data<RunSummary>('GET', `/runs/${run}`)).toMatchObject({ status: 'waiting' }),
  );
  const folder = databaseFolder();
  const dump = join(folder, 'weft.dump');
  tool('pg_dump', folder, '--format=custom', '--file', dump, url('weft'));
  await publish(a, sayFlow('later', 'not in the dump'));
  await a.stop('SIGKILL');
  await admin.unsafe('CREATE DATABASE again');
  tool('pg_restore', folder, '--exit-on-error', '--dbname', url('again'), dump);
  const other = { WEFT_DATABASE_URL: url('again'), WEFT_SECRETS_KEY: '22'.repeat(32) };
  await expect(startServer({ env: other })).rejects.toThrow('secrets_key_other: ');
  const b = await startNode(url('again'));
  const init = { headers: { authorization: `Bearer ${key}` } };
  expect((await call(b, '/guarded', init)).body).toBe('in');
  expect((await call(b, '/later')).status).toBe(404);
  const { waits } = await b.owner.data<WaitPage>('GET', '/waits');
  const [wait] = waits.filter((one) => one.run === run);
  await b.owner.data('POST', `/waits/${wait?.id}/decide`, { decision: 'approved' });
  await eventually(async () =>
    expect(await b.owner.data<RunSummary>('GET', `/runs/${run}`)).toMatchObject({ status: 'ok' }),
  );
  expect(readFileSync(dump).includes(SECRETS_KEY)).toBe(false);
});
