import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempFolder } from '../../../testing/platform-bed.ts';
import type { Sql } from '../sql.ts';
import { openSqlite } from './open-sqlite.ts';

const statements = ['CREATE TABLE thing (id TEXT PRIMARY KEY, bytes BLOB) STRICT'];
const put = (id: string) => ['INSERT INTO thing (id) VALUES (?)', id] as const;

async function open(program?: URL): Promise<{ sql: Sql; file: string }> {
  const file = join(await tempFolder(), 'things.db');
  const sql = openSqlite(file, [{ n: 1, name: 'things', statements }], program && { program });
  onTestFinished(() => sql.close());
  return { sql, file };
}

test('an error of the disk for one of several writes sent together fails all of them, and later ones go on', async () => {
  const { sql } = await open();
  await sql.run('PRAGMA query_only = ON');
  const done = await Promise.allSettled([
    sql.run(...put('a')),
    sql.batch([put('b'), put('c')]),
    sql.run(...put('d')),
  ]);
  for (const each of done) expect(each).toMatchObject({ reason: { code: 'storage_failed' } });
  expect(await Promise.all([sql.run(...put('a')), sql.run(...put('b'))])).toEqual([1, 1]);
  expect(await sql.all('SELECT id FROM thing ORDER BY id')).toEqual([{ id: 'a' }, { id: 'b' }]);
});

test('writes of one turn of the event loop are one transaction', async () => {
  const { sql, file } = await open();
  await sql.run(...put('first'));
  const reader = new DatabaseSync(file, { readOnly: true });
  onTestFinished(() => reader.close());
  const seen = new Set<number>();
  let over = false;
  const writes = Promise.all(Array.from({ length: 500 }, (_, at) => sql.run(...put(`${at}`))));
  void writes.finally(() => (over = true));
  while (!over) {
    seen.add(Number(reader.prepare('SELECT count(*) AS n FROM thing').get()?.['n']));
    await new Promise((resolve) => void setImmediate(resolve));
  }
  expect([...seen].filter((n) => n !== 1 && n !== 501)).toEqual([]);
});

test('only the stored bytes of a large buffer are sent to the thread', async () => {
  const { sql } = await open();
  const post = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => post.mockRestore());
  const part = new Uint8Array(10_000_000).fill(7).subarray(1000, 1003);
  const text = 'INSERT INTO thing (id, bytes) VALUES (?, ?)';
  await sql.run(text, 'a', part);
  await sql.batch([[text, 'b', part]]);
  await sql.transaction((tx) => tx.run(text, 'c', part));
  const values = (message: unknown): unknown[] =>
    typeof message !== 'object' || message === null || message instanceof Uint8Array
      ? [message]
      : Object.values(message).flatMap(values);
  const sent = post.mock.calls
    .flatMap(([message]) => values(message))
    .filter((each) => each instanceof Uint8Array);
  expect(sent.map(({ buffer }) => buffer.byteLength)).toEqual([3, 3, 3]);
  expect(await sql.all('SELECT DISTINCT bytes FROM thing')).toEqual([{ bytes: new Uint8Array([7, 7, 7]) }]);
});

test('reads of a file whose threads have a program of their own do not take the event loop, see all that was written, and write nothing', async () => {
  const { sql } = await open(new URL('./thread.js', import.meta.url));
  const long = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT count(*) AS n FROM n`;
  let turns = 0;
  const reading = sql.first(long);
  const counting = setInterval(() => turns++, 1);
  expect(await reading).toEqual({ n: 1_000_000 });
  clearInterval(counting);
  expect(turns).toBeGreaterThan(1);
  for (const id of ['a', 'b']) {
    await sql.run(...put(id));
    expect(await sql.first('SELECT id FROM thing WHERE id = ?', id)).toEqual({ id });
  }
  await expect(sql.all(...put('c'))).rejects.toThrow();
  expect(await sql.all('SELECT id FROM thing ORDER BY id')).toEqual([{ id: 'a' }, { id: 'b' }]);
});
