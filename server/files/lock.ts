import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../errors/start-error.ts';

/** Held as long as the server uses its data folder. */
export interface DataLock {
  release(): void;
}

/** Keeps a reference: an unreferenced database is garbage collected, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Ensures that only one server uses a data folder. The lock is SQLite's, on a separate file, so the system releases
 * it when its owner dies in any way; there are no stale locks. `weft.pid` only tells people which process it is.
 * Throws a `StartError` if another server holds it.
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

/** What `lockData` throws if another server holds the folder. */
class DataInUse extends StartError {}

/** Whether an error of `lockData` means that a server runs on the folder. */
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
