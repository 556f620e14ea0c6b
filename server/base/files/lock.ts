import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from '../errors/start-error.ts';

/** Held as long as the server uses its data folder. */
export interface DataLock {
  release(): void;
}

/** Keeps a reference: an unreferenced database is garbage collected, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Ensures that only one server uses a data folder. The lock is SQLite's, on a separate file, so the system releases it
 * when its owner dies in any way; there are no stale locks. `weft.pid` only shows people which process it is.
 * Throws a `StartError` if another server holds it.
 */
export function lockData(data: string): DataLock {
  const pidFile = join(data, 'weft.pid');
  replaceOldLock(data);
  const db = lockFile(data, keepOlderVersionsOut(data));
  try {
    const owner = { pid: process.pid, host: hostname(), startedAt: new Date().toISOString() };
    writeFileSync(pidFile, JSON.stringify(owner));
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

/** How long processes of a dead supervisor may take to end, and how often that is checked, in milliseconds. */
const ENDING_MS = 15_000;
const LOOK_MS = 20;

/**
 * Waits until no process uses a part of the data folder any more: when a supervisor is killed, its processes end a moment after it. Call
 * it with the lock of the folder. Throws a `StartError` if one does not end.
 */
export async function waitForProcesses(data: string): Promise<void> {
  const parts = readdirSync(data).filter((name) => /^process-\d+$/.test(name));
  const end = performance.now() + ENDING_MS;
  for (const part of parts) while (!isFree(join(data, part), performance.now() > end)) await sleep(LOOK_MS);
}

/** Throws if it is late and not free. */
function isFree(part: string, isLate: boolean): boolean {
  try {
    lockData(part).release();
    return true;
  } catch (error) {
    if (!(error instanceof DataInUse) || isLate) throw error;
    return false;
  }
}

const NOTE = `Weft locks the data folder with the file beside this one while a server uses it.

Version 0.1.0 expects a file where this folder is, and refuses to start: it would misread what later versions store.
To return to it, restore a backup that it made itself.
`;

/**
 * Creates the folder of the lock, and returns the lock's file. Version 0.1.0 opens `weft.lock` as a file; a folder
 * of that name keeps it from starting, because it checks no format number. Throws the system's errors.
 */
export function keepOlderVersionsOut(data: string): string {
  const folder = join(data, LOCK);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const note = join(folder, 'README.txt');
  if (statSync(note, { throwIfNoEntry: false }) === undefined) writeFileSync(note, NOTE);
  return join(folder, 'lock');
}

const LOCK = 'weft.lock';

/** Removes a file that version 0.1.0 left, unless such a server is running. */
function replaceOldLock(data: string): void {
  const file = join(data, LOCK);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  const db = lockFile(data, file);
  rmSync(file);
  db.close();
}

function lockFile(data: string, file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  try {
    db.exec('BEGIN IMMEDIATE');
    return db;
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new DataInUse(
      `Another server uses the data folder ${data}${describeOwner(join(data, 'weft.pid'))}. Stop it, or set WEFT_DATA.`,
    );
  }
}

/** Thrown by `lockData` if another server holds the folder. */
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
    const { pid, host, startedAt } = JSON.parse(readFileSync(pidFile, 'utf8')) as {
      pid: number;
      host?: string;
      startedAt: string;
    };
    // In another container the number of a process means nothing.
    const where = host === undefined || host === hostname() ? '' : ` on ${host}`;
    return ` (process ${pid}${where}, started ${startedAt})`;
  } catch {
    return '';
  }
}
