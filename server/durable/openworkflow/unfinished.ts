import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const UNFINISHED = `SELECT 1 FROM weft_runs WHERE status IN ('pending', 'running', 'waiting')
  OR (ended IS NOT NULL AND told = 0) LIMIT 1`;

/**
 * Whether a file has runs to continue or ends to report: a quick look that starts nothing. An unreadable file counts
 * as one that does.
 */
export function hasUnfinished(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const db = new DatabaseSync(file);
    try {
      return db.prepare(UNFINISHED).get() !== undefined;
    } finally {
      db.close();
    }
  } catch {
    return true;
  }
}
