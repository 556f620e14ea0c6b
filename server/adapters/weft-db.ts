import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WeftError } from '#engine';
import { statSync } from 'node:fs';
import { isCut } from './lost-data.ts';
import { StartError } from '../errors/start-error.ts';
import { refusedStart } from '../files/storage-start.ts';
import { isRefusedByDisk } from '../errors/storage-refusal.ts';

/** How long to wait for a command line that uses the same file, in milliseconds. */
const BUSY_MS = 1000;

/**
 * Opens `weft.db` of the data folder, which must exist; creates the file. A write is safe once it has returned, even
 * if the process is killed. Throws a `StartError` if the file is not such a database or the disk is not writable.
 */
export function openWeftDb(data: string): DatabaseSync {
  const file = join(data, 'weft.db');
  let db: DatabaseSync | undefined;
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0 && isCut(file))
      throw new Error('it ends too early');
    db = new DatabaseSync(file, { timeout: BUSY_MS });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    return db;
  } catch (error) {
    db?.close();
    const { message } = error as Error;
    if (isRefusedByDisk(error)) throw refusedStart(data, message);
    throw new StartError(`Cannot open ${file} (${message}): repair it, or move it away to start without it.`);
  }
}

/** Does something with the database; its refusals (a full disk, a lock) become `storage_failed`. */
export function storing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_SQLITE_ERROR') throw error;
    const { message } = error as Error;
    throw new WeftError(
      'storage_failed',
      `The data folder could not be written (${message}); free space or repair permissions, then repeat.`,
    );
  }
}
