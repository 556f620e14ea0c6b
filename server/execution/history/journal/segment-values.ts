import type { DatabaseSync } from 'node:sqlite';
import { Statements } from '../../../base/adapters/statements.ts';
import type { KeptValue } from '../blobs/blob-store.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS blobs (
  hash TEXT NOT NULL, run TEXT NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (hash, run)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS blobs_of_run ON blobs (run);
CREATE TABLE IF NOT EXISTS tapes (run TEXT PRIMARY KEY, tape TEXT NOT NULL) WITHOUT ROWID;
`;

/** The large values of one file of runs, and the tapes of its runs that can be replayed. */
export class SegmentValues {
  private readonly sql: Statements;

  constructor(db: DatabaseSync) {
    db.exec(SCHEMA);
    this.sql = new Statements(db);
  }

  add(run: string, values: readonly KeptValue[], tape: string | undefined): void {
    const refer = this.sql.get('INSERT OR REPLACE INTO blobs (hash, run, bytes) VALUES (?, ?, ?)');
    for (const { hash, json } of values) refer.run(hash, run, Buffer.byteLength(json));
    if (tape !== undefined)
      this.sql.get('INSERT OR REPLACE INTO tapes (run, tape) VALUES (?, ?)').run(run, tape);
  }

  tape(run: string): string | undefined {
    return this.sql.get('SELECT tape FROM tapes WHERE run = ?').get(run)?.['tape'] as string | undefined;
  }

  /** Whether a run of this file, the given one or any, refers to the value. */
  holds(hash: string, run?: string): boolean {
    const found =
      run === undefined
        ? this.sql.get('SELECT 1 FROM blobs WHERE hash = ? LIMIT 1').get(hash)
        : this.sql.get('SELECT 1 FROM blobs WHERE hash = ? AND run = ?').get(hash, run);
    return found !== undefined;
  }

  /** The hashes of all values that its runs refer to. */
  hashes(): string[] {
    return hashesOf(this.sql.get('SELECT DISTINCT hash FROM blobs').all());
  }

  /** Bytes of the values that its runs refer to. */
  get bytes(): number {
    const all = 'SELECT sum(bytes) AS n FROM (SELECT max(bytes) AS bytes FROM blobs GROUP BY hash)';
    return Number(this.sql.get(all).get()?.['n'] ?? 0);
  }

  /** Deletes the data of a run; returns the values that it referred to. */
  remove(run: string): string[] {
    const held = hashesOf(this.sql.get('SELECT hash FROM blobs WHERE run = ?').all(run));
    this.sql.get('DELETE FROM blobs WHERE run = ?').run(run);
    this.sql.get('DELETE FROM tapes WHERE run = ?').run(run);
    return held;
  }

  /** Like `remove`, for all runs of this file that started before `time`. */
  prune(time: number): string[] {
    const old = 'run IN (SELECT run FROM runs WHERE started < ?)';
    const held = hashesOf(this.sql.get(`SELECT DISTINCT hash FROM blobs WHERE ${old}`).all(time));
    this.sql.get(`DELETE FROM blobs WHERE ${old}`).run(time);
    this.sql.get(`DELETE FROM tapes WHERE ${old}`).run(time);
    return held;
  }
}

function hashesOf(rows: readonly unknown[]): string[] {
  return rows.map((row) => String((row as { hash: unknown }).hash));
}
