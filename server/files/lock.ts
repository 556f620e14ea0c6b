import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../errors/start-error.ts';

/** Held as long as the server uses its data folder. */
export interface DataLock {
  release(): void;
}

/** What is held: a database that nobody refers to any more is collected, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Makes sure that one server uses a data folder. The lock is SQLite's on a file of its own, so the system gives it back
 * when its owner dies, however it dies; there are no stale locks to guess about. `weft.pid` only tells people who it is.
 * Throws a `StartError` when another server holds it.
 */
export function lockData(data: string): DataLock {
  const pidFile = join(data, 'weft.pid');
  const db = new DatabaseSync(join(data, 'weft.lock'));
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new DataInUse(
      `Another server uses the data folder ${data}${describeOwner(pidFile)}. Stop it, or set WEFT_DATA.`,
    );
  }
  try {
    writeFileSync(pidFile, JSON.stringify({ pid: process.pid, startedAt: new Date().toISOString() }));
  } catch (error) {
    db.close();
    throw error;
  }
  held.add(db);
  return {
    release() {
      if (!db.isOpen) return;
      rmSync(pidFile, { force: true });
      db.close();
      held.delete(db);
    },
  };
}

/** What `lockData` throws where another server holds the folder. */
class DataInUse extends StartError {}

/** Whether an error of `lockData` says that a server runs on the folder. */
export function isLocked(error: unknown): boolean {
  return error instanceof DataInUse;
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return (error as { errcode?: unknown }).errcode === sqliteBusy;
}

function describeOwner(pidFile: string): string {
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(pidFile, 'utf8')) as {
      pid: number;
      startedAt: string;
    };
    return ` (process ${pid}, started ${startedAt})`;
  } catch {
    return '';
  }
}
