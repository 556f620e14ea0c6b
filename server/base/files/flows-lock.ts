import { mkdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { isRefusedByDisk } from '../errors/storage-refusal.ts';

/** A server that starts the schedules of a flows folder. */
export interface FlowsOwner {
  /** The id of its data folder. */
  readonly data: string;
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
}

/**
 * Whether this server has a flows folder to itself, as far as schedules are concerned.
 * `held`: yes; `before` had it last, and `claim` records that this server has it now. `taken`: another server has it. `unknown`: it
 * cannot be determined, because no lock can be written into the folder.
 */
export type FlowsLock =
  | { readonly state: 'held'; readonly before: FlowsOwner | undefined; claim(): void; release(): void }
  | { readonly state: 'taken'; readonly by: FlowsOwner | undefined }
  | { readonly state: 'unknown'; release(): void };

/** Keeps a reference: an unreferenced database is garbage collected, and its lock with it. */
const held = new Set<DatabaseSync>();

/**
 * The lock is SQLite's, on a file of its own, as that of the data folder: the system releases it when its owner dies
 * in any way, and it counts between containers that share the folder. A server that can only read the folder holds a
 * shared lock on the file of another one, which that one notices, and the other way round; two such servers do not
 * notice each other.
 */
export function lockFlows(folder: string, data: string): FlowsLock {
  // Servers share no flows in a folder that does not exist.
  if (statSync(folder, { throwIfNoEntry: false }) === undefined)
    return { state: 'held', before: undefined, claim: () => {}, release: () => {} };
  const file = join(folder, '.drafts', 'server.lock');
  try {
    mkdirSync(join(folder, '.drafts'), { recursive: true });
    return exclusive(file, { data, host: hostname(), pid: process.pid, startedAt: new Date().toISOString() });
  } catch (error) {
    const lock = shared(file);
    if (!isBusy(error) || lock.state === 'taken') return lock;
    // A server that lets others read holds a shared lock, and could not record its name.
    lock.release();
    return { state: 'taken', by: undefined };
  }
}

/** SQLite keeps the lock after a change of this kind until the file is closed. */
const OPEN = 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;';
const TABLE = 'CREATE TABLE IF NOT EXISTS owner (data TEXT, host TEXT, pid INTEGER, startedAt TEXT)';

function exclusive(file: string, own: FlowsOwner): FlowsLock {
  const db = new DatabaseSync(file);
  try {
    // SQLite opens a file that it may not write for reading, and fails at the first change.
    db.exec(`${OPEN} BEGIN EXCLUSIVE; ${TABLE}; PRAGMA user_version = 1; COMMIT;`);
    const before = firstOwner(db);
    const { data, host, pid, startedAt } = own;
    const claim = (): void => {
      try {
        db.exec('BEGIN; DELETE FROM owner');
        db.prepare('INSERT INTO owner VALUES (?, ?, ?, ?)').run(data, host, pid, startedAt);
        db.exec('COMMIT');
      } catch (error) {
        // The lock counts nevertheless.
        if (!isRefusedByDisk(error)) throw error;
        if (db.isTransaction) db.exec('ROLLBACK');
      }
    };
    return { state: 'held', before, claim, release: keep(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}

function shared(file: string): Exclude<FlowsLock, { state: 'held' }> {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { readOnly: true });
    db.exec('BEGIN');
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return { state: 'unknown', release: keep(db) };
  } catch (error) {
    db?.close();
    if (isBusy(error)) return { state: 'taken', by: ownerIn(file) };
    return { state: 'unknown', release: () => {} };
  }
}

/** Returns a function that releases it. */
function keep(db: DatabaseSync): () => void {
  held.add(db);
  return () => {
    if (db.isOpen) db.close();
    held.delete(db);
  };
}

/** Reads the owner in spite of the lock. */
function ownerIn(file: string): FlowsOwner | undefined {
  try {
    const db = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true });
    try {
      return firstOwner(db);
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}

function firstOwner(db: DatabaseSync): FlowsOwner | undefined {
  return db.prepare('SELECT data, host, pid, startedAt FROM owner').get() as unknown as
    | FlowsOwner
    | undefined;
}

const sqliteBusy = 5;

/** SQLite's extended codes have the kind of the error in their lowest byte. */
function isBusy(error: unknown): boolean {
  return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === sqliteBusy;
}
