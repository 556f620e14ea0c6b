import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { checkNotNewer, COPIES_FOLDER } from '../../../base/errors/start-error.ts';
import type { Migration } from '../migration.ts';

/**
 * Brings the tables to the newest format, all or nothing: a process that dies midway leaves the file unchanged. A
 * file with rows is copied first, to `before-migration/<name>-<format>.db`. Throws a `StartError` if the file is
 * newer than the migrations.
 */
export function migrateSqlite(db: DatabaseSync, file: string, migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.n ?? 0;
  const found = formatOf(db);
  checkNotNewer(file, found, newest);
  if (found === newest) return;
  const isOlder = hasTables(db);
  if (isOlder) copyBefore(db, file, found);
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it since.
    const before = formatOf(db);
    for (const migration of migrations) if (migration.n > before) apply(db, migration, isOlder);
    db.exec(`PRAGMA user_version = ${newest}`);
    db.exec('COMMIT');
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function apply(db: DatabaseSync, { n, name, statements, older }: Migration, isOlder: boolean): void {
  const all = isOlder && older ? [...older.before, ...statements, ...older.after] : statements;
  for (const text of all) db.exec(text);
  db.exec(
    'CREATE TABLE IF NOT EXISTS migration (n INTEGER PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL) STRICT',
  );
  db.prepare('INSERT INTO migration (n, name, at) VALUES (?, ?, ?)').run(n, name, Date.now());
}

function formatOf(db: DatabaseSync): number {
  return db.prepare('PRAGMA user_version').get()?.['user_version'] as number;
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' LIMIT 1").get() !== undefined;
}

/** The copy appears whole or not at all; an existing one was made by an earlier attempt. */
function copyBefore(db: DatabaseSync, file: string, format: number): void {
  const folder = join(dirname(file), COPIES_FOLDER);
  const copy = join(folder, `${basename(file, '.db')}-${format}.db`);
  if (existsSync(copy)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const part = `${copy}.part`;
  rmSync(part, { force: true });
  db.prepare('VACUUM INTO ?').run(part);
  syncFile(part);
  renameSync(part, copy);
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
