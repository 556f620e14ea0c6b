import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { SqlLimits } from '#engine';
import { asker, connectionBed, limits, never, setFolders } from '../connections/testing/connection-bed.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { createDataQuestions } from './data-questions.ts';
import { attacks } from './testing/attacks.ts';
import { sqliteGluttons } from './testing/attacks-sqlite.ts';
import { honest } from './testing/honest.ts';
import { codeOf, someRows, soon, tableOf } from './testing/walls-bed.ts';

/** The corpus against each wall of SQLite alone, with the others disabled. */

async function attackedFile() {
  const folder = await tempFolder();
  setFolders({ shop: folder });
  const path = join(folder, 'shop.db');
  const db = new DatabaseSync(path);
  for (const name of ['t', 'u']) db.exec(`${tableOf('sqlite', name)}; ${someRows(name)}`);
  db.close();
  const { connections } = connectionBed();
  const put = (name: string, readOnly: boolean) =>
    connections.put(name, {
      kind: 'sqlite',
      settings: { folder: 'shop', file: 'shop.db', readOnly, most: 1 },
      grants: { flows: ['f'] },
    });
  await put('reader', true);
  await put('owner', false);
  const data = createDataQuestions({ connections });
  return {
    connections,
    content: () => readFileSync(path).toString('base64'),
    /** Reads like a flow of an author. */
    query: (sql: string, some: SqlLimits = limits) =>
      connections.sql.query({ connection: 'owner', sql, params: {}, ...some }, asker, never),
    /** Reads like a statement of a model. */
    read: (sql: string, connection = 'reader', some: SqlLimits = limits) =>
      data.read({ connection, sql, ...some }, asker, never),
  };
}

test('nothing changes a file that is opened read-only', async () => {
  const { connections, content } = await attackedFile();
  const before = content();
  for (const sql of attacks.sqlite) {
    const statements = [{ sql, params: {} }];
    await codeOf(connections.sql.execute({ connection: 'reader', statements, ...soon }, asker, never));
  }
  expect(content()).toBe(before);
}, 120_000);

test('a session that only reads changes nothing', async () => {
  const { query, content } = await attackedFile();
  const before = content();
  for (const sql of attacks.sqlite) await codeOf(query(sql, soon));
  expect(content()).toBe(before);
}, 120_000);

test('all together allow legitimate statements', async () => {
  const { connections, read } = await attackedFile();
  const passed: string[] = [];
  for (const sql of attacks.sqlite) if ((await codeOf(read(sql))) === 'passed') passed.push(sql);
  expect(passed).toEqual([]);
  const refused: unknown[] = [];
  for (const sql of honest.sqlite)
    await read(sql).catch((error: Error) => refused.push([sql, error.message]));
  expect(refused).toEqual([]);
  expect(await read('SELECT b FROM t ORDER BY a;')).toEqual({ rows: [{ b: 'x' }, { b: 'y' }], more: false });
  expect(await codeOf(read('SELECT 1', 'owner'))).toBe('connection_writes');
  expect((await connections.test('owner')).writes).toEqual([
    'change the file, since it is not opened read-only',
  ]);
  expect(await codeOf(read('SELECT 1', 'nobody'))).toBe('connection_missing');
}, 120_000);

test.each(sqliteGluttons)(
  'memory has a limit: %s',
  async (sql) => {
    const { query, read } = await attackedFile();
    expect(await codeOf(read(sql))).toBe('value_too_large');
    // The next statement has enough memory, and authors may compute long values.
    expect((await read('SELECT count(*) AS n FROM t')).rows).toEqual([{ n: 2 }]);
    expect(await query("SELECT length(printf('%.*c', 20000000, 'x')) AS n")).toEqual([{ n: 20_000_000 }]);
  },
  60_000,
);

test('a transaction that an author begins in a read ends with the read', async () => {
  const { connections, query } = await attackedFile();
  for (const begin of ['BEGIN', 'SAVEPOINT x']) {
    await codeOf(query(begin));
    expect(await query('SELECT count(*) AS n FROM t')).toEqual([{ n: 2 }]);
    const add = { sql: 'INSERT INTO t (a) VALUES (3)', params: {} };
    await connections.sql.execute({ connection: 'owner', statements: [add], ...limits }, asker, never);
    expect(await query('SELECT count(*) AS n FROM t')).toEqual([{ n: 3 }]);
    const remove = { sql: 'DELETE FROM t WHERE a = 3', params: {} };
    await connections.sql.execute({ connection: 'owner', statements: [remove], ...limits }, asker, never);
  }
});
