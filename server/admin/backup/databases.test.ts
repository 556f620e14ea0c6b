import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { createSessionStore } from '../../access/security/session-store.ts';
import { openWeftSql } from '../../storage/database/weft-tables.ts';
import { pinDatabases } from './databases.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-databases-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function newDb(file: string): void {
  using db = new DatabaseSync(file);
  db.exec('CREATE TABLE t (n); INSERT INTO t VALUES (1)');
}

test('copies the existing databases, without those that have gone meanwhile', async () => {
  const folder = newFolder();
  newDb(join(folder, 'a.db'));
  newDb(join(folder, 'gone.db'));
  rmSync(join(folder, 'gone.db'));
  using pinned = pinDatabases(folder, ['a.db', 'gone.db']);
  await pinned.copyTo(join(folder, 'copy'));
  expect(readdirSync(join(folder, 'copy'))).toEqual(['a.db']);
});

test('refuses an existing database that cannot be read, which a backup must not silently lack', () => {
  const folder = newFolder();
  // A folder is as inaccessible to SQLite as a file of another user, even in a test that root runs.
  mkdirSync(join(folder, 'closed.db'));
  writeFileSync(join(folder, 'damaged.db'), 'This is no database. '.repeat(100));
  for (const path of ['closed.db', 'damaged.db'])
    expect(() => pinDatabases(folder, [path])).toThrow(
      expect.objectContaining({ code: 'storage_failed', message: expect.stringContaining(path) }),
    );
});

test('leaves out who is signed in, and the hash of the password', async () => {
  const folder = newFolder();
  const sql = openWeftSql(folder);
  onTestFinished(() => sql.close());
  await createSessionStore(sql, { now: () => 0, password: 'correct horse' }).add({
    hash: 'canary',
    expiresAt: 1,
  });
  const [row] = await sql.all<{ readonly password: string }>('SELECT password FROM sessions');
  using pinned = pinDatabases(folder, ['weft.db']);
  await pinned.copyTo(join(folder, 'copy'));
  expect(readdirSync(join(folder, 'copy'))).toEqual(['weft.db']);
  const copy = readFileSync(join(folder, 'copy', 'weft.db'), 'latin1');
  expect(copy).not.toContain('canary');
  expect(copy).not.toContain(row?.password);
  expect(await sql.all('SELECT hash FROM sessions')).toHaveLength(1);
});
