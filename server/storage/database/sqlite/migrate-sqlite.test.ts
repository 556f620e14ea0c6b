import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../../../testing/platform-bed.ts';
import type { Migration } from '../migration.ts';
import { weftMigrations } from '../weft-tables.ts';
import { openSqlite } from './open-sqlite.ts';

const first: Migration = {
  n: 1,
  name: 'first',
  statements: [
    'CREATE TABLE thing (project TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (project, id)) STRICT',
  ],
  older: {
    before: ['ALTER TABLE thing RENAME TO thing_0'],
    after: ["INSERT INTO thing SELECT 'default', id FROM thing_0", 'DROP TABLE thing_0'],
  },
};
const second: Migration = { n: 2, name: 'second', statements: ['CREATE TABLE more (id TEXT) STRICT'] };

async function olderFile(): Promise<string> {
  const file = join(await tempFolder(), 'weft.db');
  const db = new DatabaseSync(file);
  db.exec("CREATE TABLE thing (id TEXT PRIMARY KEY) STRICT; INSERT INTO thing VALUES ('a'), ('b')");
  db.close();
  return file;
}

async function rowsOf(file: string, migrations: readonly Migration[]) {
  const sql = openSqlite(file, migrations);
  onTestFinished(() => sql.close());
  const things = await sql.all('SELECT project, id FROM thing ORDER BY id');
  const done = await sql.all('SELECT n, name FROM migration ORDER BY n');
  await sql.close();
  return { things, done };
}

const both = [
  { project: 'default', id: 'a' },
  { project: 'default', id: 'b' },
];

test('a file of an earlier version gets the new tables with its rows, and a copy of it is kept', async () => {
  const file = await olderFile();
  expect(await rowsOf(file, [first])).toEqual({ things: both, done: [{ n: 1, name: 'first' }] });
  expect(await rowsOf(file, [first, second])).toMatchObject({ things: both, done: [{ n: 1 }, { n: 2 }] });
  const folder = join(file, '../before-migration');
  expect(readdirSync(folder).toSorted()).toEqual(['weft-0.db', 'weft-1.db']);
  const copy = new DatabaseSync(join(folder, 'weft-0.db'), { readOnly: true });
  onTestFinished(() => copy.close());
  expect(copy.prepare('SELECT * FROM thing').all()).toEqual([{ id: 'a' }, { id: 'b' }]);
});

test('a new file has the newest tables at once, and no copy', async () => {
  const file = join(await tempFolder(), 'weft.db');
  expect(await rowsOf(file, [first, second])).toMatchObject({ things: [], done: [{ n: 1 }, { n: 2 }] });
  expect(existsSync(join(file, '../before-migration'))).toBe(false);
});

test('a file of a newer version is refused with what to do, and not touched', async () => {
  const file = await olderFile();
  await rowsOf(file, [first, second]);
  expect(() => openSqlite(file, [first])).toThrow(
    /weft\.db was written by a newer Weft \(format 2; this version knows formats up to 1\)\. Start that version/,
  );
  expect(await rowsOf(file, [first, second])).toMatchObject({ things: both });
});

test('a migration with an error leaves the file as it was', async () => {
  const file = await olderFile();
  const bad: Migration = { n: 2, name: 'bad', statements: ['DROP TABLE thing', 'CREATE TABLE thing ('] };
  expect(() => openSqlite(file, [first, bad])).toThrow(/weft\.db.*move it away/);
  expect(await rowsOf(file, [first])).toEqual({ things: both, done: [{ n: 1, name: 'first' }] });
});

test('formats are numbered from one without gaps', () => {
  expect(weftMigrations.map(({ n }) => n)).toEqual(weftMigrations.map((_, at) => at + 1));
});
