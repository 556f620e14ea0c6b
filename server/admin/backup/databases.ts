import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { ServiceError } from '../../base/errors/errors.ts';

/** How long to wait for a writer of the same file, in milliseconds. */
const BUSY_MS = 5000;
/** Pages that are copied at once. */
const RATE = 1000;

/** Databases of a folder in their state at one moment, while their owner keeps writing. */
export interface PinnedDatabases extends Disposable {
  /** Copies each to the same path below `to`. Throws `storage_failed` for a damaged database. */
  copyTo(to: string): Promise<void>;
}

/**
 * Starts reading all of them at once: later writes are in none of the copies. `paths` are below `folder`; files that
 * have disappeared meanwhile are left out. Throws `storage_failed` for one that cannot be read.
 */
export function pinDatabases(folder: string, paths: readonly string[]): PinnedDatabases {
  const pinned: { path: string; db: DatabaseSync }[] = [];
  const close = (): void => {
    for (const { db } of pinned) db.close();
  };
  try {
    for (const path of paths) {
      const db = openIfThere(join(folder, path));
      if (db) pinned.push({ path, db });
    }
    for (const { path, db } of pinned) pin(path, db);
  } catch (error) {
    close();
    throw error;
  }
  return {
    async copyTo(to) {
      for (const { path, db } of pinned) await copyDatabase(db, join(to, path));
    },
    [Symbol.dispose]: close,
  };
}

function pin(path: string, db: DatabaseSync): void {
  try {
    db.exec('BEGIN; SELECT count(*) FROM sqlite_schema;');
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  }
}

function openIfThere(file: string): DatabaseSync | undefined {
  try {
    return new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  } catch (error) {
    // SQLite reports the same for a file without read permission, which no backup may leave out.
    if (!existsSync(file)) return undefined;
    throw unreadable(file, (error as Error).message);
  }
}

function unreadable(file: string, why: string): ServiceError {
  return new ServiceError(
    'storage_failed',
    `${file} cannot be copied (${why}); back up as the user that the server runs as, or repair the file.`,
  );
}

async function copyDatabase(db: DatabaseSync, file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await backup(db, file, { rate: RATE });
  const copy = new DatabaseSync(file);
  try {
    const found = copy.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    if (found.quick_check !== 'ok') throw unreadable(file, found.quick_check);
    forgetSessions(copy);
  } finally {
    copy.close();
  }
}

/** Sessions are not valid elsewhere. The bytes are overwritten, because a hash of the password is among them. */
function forgetSessions(copy: DatabaseSync): void {
  const hasSessions = copy.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sessions'").get();
  if (hasSessions) copy.exec('PRAGMA secure_delete = ON; DELETE FROM sessions');
}
