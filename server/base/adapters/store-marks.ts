import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { writeOwnFileSync } from '../files/atomic-file.ts';

/**
 * A mark in a store: its id, and how many times it has been marked. A copy that replaces the
 * store later has a smaller count, and a store of another data folder has another id.
 */
export const Mark = z.object({ id: z.string(), count: z.int().nonnegative() });
export type Mark = z.infer<typeof Mark>;

/** Where a kind of store has its mark: a table, a key of its JSON object, a file in its folder. */
export type StoreKind = 'database' | 'document' | 'folder';

/** `unreadable`: the store is damaged, which its owner reports. */
export function readMark(path: string, kind: StoreKind): Mark | 'none' | 'unreadable' {
  try {
    return Mark.safeParse(kinds[kind].read(path)).data ?? 'none';
  } catch {
    return 'unreadable';
  }
}

/** Waits until the disk has it. The store must exist and must not be open. */
export function writeMark(path: string, kind: StoreKind, mark: Mark): void {
  kinds[kind].write(path, mark);
}

const TABLE = 'CREATE TABLE IF NOT EXISTS weft_store (id TEXT NOT NULL, count INTEGER NOT NULL) STRICT';
/** How long to wait for a command that uses the same file, in milliseconds. */
const BUSY_MS = 1000;

function inDatabase<T>(path: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

/**
 * The format number stored in a store itself: a database's `user_version`, the key `format` of a JSON file. 0 if
 * it is missing or cannot be read; undefined for a folder, which has none.
 */
export function formatIn(path: string, kind: StoreKind): number | undefined {
  try {
    if (kind === 'folder') return undefined;
    if (!existsSync(path)) return 0;
    if (kind === 'document') return z.object({ format: z.number() }).parse(documentOf(path)).format;
    return inDatabase(path, (db) => Number(db.prepare('PRAGMA user_version').get()?.['user_version']));
  } catch {
    return 0;
  }
}

/** The file that marks a folder. */
export const STORE_MARK = '.store.json';

const folderMark = (path: string): string => join(path, STORE_MARK);
const documentOf = (path: string): object => z.looseObject({}).parse(JSON.parse(readFileSync(path, 'utf8')));

const kinds: Readonly<
  Record<StoreKind, { read(path: string): unknown; write(path: string, mark: Mark): void }>
> = {
  database: {
    read: (path) =>
      inDatabase(path, (db) => {
        const isMarked = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'weft_store'").get();
        return isMarked && db.prepare('SELECT id, count FROM weft_store').get();
      }),
    write: (path, { id, count }) =>
      inDatabase(path, (db) => {
        db.exec(`PRAGMA synchronous = FULL; BEGIN IMMEDIATE; ${TABLE}; DELETE FROM weft_store;`);
        db.prepare('INSERT INTO weft_store (id, count) VALUES (?, ?)').run(id, count);
        db.exec('COMMIT');
      }),
  },
  document: {
    read: (path) => (documentOf(path) as { store?: unknown }).store,
    write: (path, store) =>
      writeOwnFileSync(path, `${JSON.stringify({ ...documentOf(path), store }, null, 2)}\n`),
  },
  folder: {
    read: (path) =>
      existsSync(folderMark(path)) ? JSON.parse(readFileSync(folderMark(path), 'utf8')) : undefined,
    write: (path, mark) => writeOwnFileSync(folderMark(path), `${JSON.stringify(mark)}\n`),
  },
};

/** Whether there is something to mark; an empty file counts as missing. */
export function isStoreThere(path: string, kind: StoreKind): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (kind === 'folder' ? stats.isDirectory() : stats.size > 0);
}
