import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { openWeftSql, weftMigrations } from '../../storage/database/weft-tables.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createServerKey } from './server-key.ts';

onBothDatabases(weftMigrations, (make) => {
  test('a key is made by the first who needs it, and is the same for all who come later', async () => {
    const { sql, again } = await make();
    const key = createServerKey(sql, 'links');
    expect(await key.find()).toBeUndefined();
    const made = await key.get();
    expect(made).toHaveLength(32);
    expect(await key.find()).toEqual(made);
    const other = createServerKey(await again(), 'links');
    expect([await other.find(), await other.get()]).toEqual([made, made]);
  });

  test('two processes that need it at the same moment have the same', async () => {
    const { sql, again } = await make();
    const all = [sql, await again()].flatMap((to) => [createServerKey(to, 'k'), createServerKey(to, 'k')]);
    const keys = await Promise.all(all.map((key) => key.get()));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
  });

  test('names and projects have keys of their own', async () => {
    const { sql } = await make();
    const own = await createServerKey(sql, 'links', 'one').get();
    expect(await createServerKey(sql, 'links', 'two').find()).toBeUndefined();
    expect(await createServerKey(sql, 'links', 'two').get()).not.toEqual(own);
    expect(await createServerKey(sql, 'others', 'one').get()).not.toEqual(own);
    expect(await createServerKey(sql, 'links', 'one').get()).toEqual(own);
  });

  test('a key that was read is not asked for again, one that was not found is', async () => {
    const { sql } = await make();
    let reads = 0;
    const first: typeof sql.first = (...statement) => {
      reads++;
      return sql.first(...statement);
    };
    const key = createServerKey({ ...sql, first }, 'links');
    await key.find();
    await createServerKey(sql, 'links').get();
    await key.find();
    expect(reads).toBe(2);
    await key.find();
    await key.get();
    expect(reads).toBe(2);
  });
});

test('a key that cannot be stored is refused with storage_failed, and made as soon as it can be', async () => {
  const sql = openWeftSql(await tempFolder());
  onTestFinished(() => sql.close());
  const key = createServerKey(sql, 'links');
  await sql.run('PRAGMA query_only = ON');
  await expect(key.get()).rejects.toMatchObject({ code: 'storage_failed' });
  expect(await key.get()).toHaveLength(32);
});

test('keys of 0.1.0 are still the keys', async () => {
  const data = await tempFolder();
  const older = new DatabaseSync(join(data, 'weft.db'));
  older.exec('CREATE TABLE IF NOT EXISTS server_keys (name TEXT PRIMARY KEY, key BLOB NOT NULL) STRICT;');
  older.prepare('INSERT INTO server_keys (name, key) VALUES (?, ?)').run('links', Buffer.alloc(32, 7));
  older.close();
  const sql = openWeftSql(data);
  onTestFinished(() => sql.close());
  expect(await createServerKey(sql, 'links').find()).toEqual(new Uint8Array(32).fill(7));
});
