import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../../../integrations/connections/testing/proxy.ts';
import type { Sql } from '../sql.ts';
import { newDatabase } from '../testing/postgres-server.ts';
import { openPostgres } from './open-postgres.ts';
import { noticeKeys } from '../testing/bus.ts';
import { openPostgresBus } from './postgres-bus.ts';

const migrations = [{ n: 1, name: 'first', statements: ['CREATE TABLE t (n INTEGER)'] }];
const storageFailed = expect.objectContaining({ code: 'storage_failed' });

async function open(url: string, more: { replaced?: () => void; answerMs?: number } = {}): Promise<Sql> {
  const sql = await openPostgres(url, migrations, more);
  onTestFinished(() => sql.close());
  return sql;
}

const openAll = (sql: Sql) => Promise.all(Array.from({ length: 20 }, () => sql.all('SELECT pg_sleep(0.05)')));

test('connections that lead to a server that became read-only are replaced', async () => {
  const url = await newDatabase();
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => admin.end());
  let replaced = 0;
  const sql = await open(url, { replaced: () => replaced++ });
  const name = new URL(url).pathname.slice(1);
  // This also holds for connections opened meanwhile, while they are open.
  await admin.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await openAll(sql);
  await admin.unsafe(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await expect(sql.run('INSERT INTO t VALUES (1)')).rejects.toEqual(storageFailed);
  expect(replaced).toBe(1);
  for (let n = 0; n < 20; n++) expect(await sql.run('INSERT INTO t VALUES (1)')).toBe(1);
  expect(replaced).toBe(1);
});

test('connections of which one has not answered in time are replaced', async () => {
  const address = new URL(await newDatabase());
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port) });
  address.port = String(proxy.port);
  let replaced = 0;
  const sql = await open(address.href, { replaced: () => replaced++, answerMs: 3000 });
  await openAll(sql);
  proxy.freeze();
  await expect(sql.run('INSERT INTO t VALUES (1)')).rejects.toEqual(storageFailed);
  await expect.poll(() => replaced, { timeout: 60_000 }).toBe(1);
  for (let n = 0; n < 20; n++) expect(await sql.run('INSERT INTO t VALUES (1)')).toBe(1);
});

test('a renewed bus receives notices again, and reports that it may have missed some', async () => {
  const url = await newDatabase();
  const address = new URL(url);
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port) });
  address.port = String(proxy.port);
  const failures: unknown[] = [];
  const [one, other] = await Promise.all([
    openPostgresBus(address.href, (error) => failures.push(error), noticeKeys),
    openPostgresBus(url, (error) => failures.push(error), noticeKeys),
  ]);
  onTestFinished(() => Promise.all([one.close(), other.close()]).then(() => {}));
  const heard: string[] = [];
  let gaps = 0;
  one.subscribe('run-woken', (name) => heard.push(name));
  one.onGap(() => gaps++);
  proxy.freeze();
  one.renew();
  await expect.poll(() => gaps, { timeout: 60_000 }).toBe(1);
  other.publish('run-woken', 'a');
  await expect.poll(() => heard, { timeout: 60_000 }).toEqual(['a']);
});
