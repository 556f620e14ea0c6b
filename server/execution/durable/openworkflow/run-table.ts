import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Forgotten, NewRun, RecordedStep, RunEnd, StoredQuery, StoredRun } from '../port.ts';

/**
 * Our own tables beside those of the library: the facts about runs, the steps that they were given at the start, and
 * the texts that they share. A run is added here before its workflow, which the next start creates if a crash came in
 * between.
 */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS weft_runs (
  run TEXT PRIMARY KEY, key TEXT UNIQUE, flow TEXT NOT NULL, version TEXT NOT NULL, input TEXT NOT NULL,
  started INTEGER NOT NULL, status TEXT NOT NULL, passes INTEGER NOT NULL DEFAULT 0, waiting TEXT, cancelled_by TEXT,
  end TEXT, ended INTEGER, told INTEGER NOT NULL DEFAULT 0, parks INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS weft_runs_of_flow ON weft_runs (flow, run);
CREATE INDEX IF NOT EXISTS weft_runs_status ON weft_runs (status, run);
CREATE INDEX IF NOT EXISTS weft_runs_untold ON weft_runs (run) WHERE ended IS NOT NULL AND told = 0;
CREATE TABLE IF NOT EXISTS weft_given (run TEXT PRIMARY KEY, steps TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS weft_texts (name TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
`;

interface Row {
  readonly run: string;
  readonly key: string | null;
  readonly flow: string;
  readonly version: string;
  readonly input: string;
  readonly started: number;
  readonly status: StoredRun['status'];
  readonly passes: number;
  readonly waiting: string | null;
  readonly cancelled_by: string | null;
  readonly end: string | null;
  readonly ended: number | null;
}

/** The rows of the tables of `SCHEMA`. */
export class RunTable {
  private readonly db: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.db = db;
    db.exec(SCHEMA);
    addTexts(db);
  }

  /** The existing run with this id or key; if undefined, the run was added. */
  add(added: NewRun): string | undefined {
    const { run, key, steps = [] } = added;
    const known = this.sql('SELECT run FROM weft_runs WHERE run = ? OR key = ?').get(run, key ?? null);
    if (known) return String(known['run']);
    // First, so that a run never exists without them.
    if (steps.length > 0)
      this.sql('INSERT OR REPLACE INTO weft_given (run, steps) VALUES (?, ?)').run(
        run,
        JSON.stringify(steps),
      );
    this.insert(added);
    return undefined;
  }

  private insert({ run, key, flow, version, input, texts, startedAt }: NewRun): void {
    this.sql(
      "INSERT INTO weft_runs (run, key, flow, version, input, texts, started, status) VALUES (?, ?, ?, ?, ?, ?, ?, 'pending')",
    ).run(run, key ?? null, flow, version, input, JSON.stringify(texts), startedAt);
  }

  /** The steps that count as recorded from the start. */
  given(run: string): RecordedStep[] {
    const row = this.sql('SELECT steps FROM weft_given WHERE run = ?').get(run);
    return row === undefined ? [] : (JSON.parse(String(row['steps'])) as RecordedStep[]);
  }

  withStatus(status: StoredRun['status']): string[] {
    return this.sql('SELECT run FROM weft_runs WHERE status = ?')
      .all(status)
      .map(({ run }) => String(run));
  }

  get(run: string): StoredRun | undefined {
    const row = this.sql('SELECT * FROM weft_runs WHERE run = ?').get(run);
    return row && storedOf(row as unknown as Row);
  }

  list({ flow, key, status, before, limit }: StoredQuery): StoredRun[] {
    const parts: [condition: string, values: readonly SQLInputValue[]][] = [
      ...(flow === undefined ? [] : [['flow = ?', [flow]] as [string, string[]]]),
      ...(key === undefined ? [] : [['key = ?', [key]] as [string, string[]]]),
      ...(status === undefined
        ? []
        : [[`status IN (${status.map(() => '?').join(', ')})`, status] as [string, string[]]]),
      ...(before === undefined ? [] : [['run < ?', [before]] as [string, string[]]]),
    ];
    const where = parts.length > 0 ? `WHERE ${parts.map(([condition]) => condition).join(' AND ')}` : '';
    const statement = this.sql(`SELECT * FROM weft_runs ${where} ORDER BY run DESC LIMIT ?`);
    return statement
      .all(...parts.flatMap(([, values]) => values), limit)
      .map((row) => storedOf(row as unknown as Row));
  }

  /** Runs that are over and whose end was not reported to all listeners. */
  unreported(): StoredRun[] {
    const rows = this.sql('SELECT * FROM weft_runs WHERE ended IS NOT NULL AND told = 0 ORDER BY run').all();
    return rows.map((row) => storedOf(row as unknown as Row));
  }

  /** Undefined if it is over or deleted. */
  begin(run: string): StoredRun | undefined {
    const row = this.sql(
      "UPDATE weft_runs SET status = 'running', passes = passes + 1, waiting = NULL WHERE run = ? AND ended IS NULL RETURNING *",
    ).get(run);
    return row && storedOf(row as unknown as Row);
  }

  /** Counts how often it was parked. */
  parks(run: string): number {
    return Number(this.sql('SELECT parks FROM weft_runs WHERE run = ?').get(run)?.['parks'] ?? 0);
  }

  park(run: string, waitingFor: string): StoredRun {
    const row = this.sql(
      "UPDATE weft_runs SET status = 'waiting', waiting = ?, parks = parks + 1 WHERE run = ? RETURNING *",
    ).get(waitingFor, run);
    return storedOf(row as unknown as Row);
  }

  end(run: string, { status, end, at }: RunEnd): StoredRun {
    const row = this.sql(
      'UPDATE weft_runs SET status = ?, end = ?, ended = ?, waiting = NULL WHERE run = ? RETURNING *',
    ).get(status, end, at, run);
    return storedOf(row as unknown as Row);
  }

  /** False if it is unknown or over. */
  cancel(run: string, by: string): boolean {
    return (
      this.sql('UPDATE weft_runs SET cancelled_by = ? WHERE run = ? AND ended IS NULL').run(by, run).changes >
      0
    );
  }

  told(run: string, input?: string): void {
    this.sql('UPDATE weft_runs SET told = 1, input = coalesce(?, input) WHERE run = ?').run(
      input ?? null,
      run,
    );
  }

  /** Removes runs that ended before `time` and were reported; returns them. */
  prune(time: number): string[] {
    const gone = this.sql('DELETE FROM weft_runs WHERE ended < ? AND told = 1 RETURNING run').all(time);
    this.sql(
      'DELETE FROM weft_given WHERE NOT EXISTS (SELECT 1 FROM weft_runs WHERE run = weft_given.run)',
    ).run();
    return gone.map(({ run }) => String(run));
  }

  /** Removes those of the runs that are over. */
  forget(runs: readonly string[]): Forgotten {
    const gone = runs.filter((run) => this.remove(run));
    return { gone, left: runs.filter((run) => this.get(run) !== undefined) };
  }

  private remove(run: string): boolean {
    const { changes } = this.sql('DELETE FROM weft_runs WHERE run = ? AND ended IS NOT NULL').run(run);
    if (changes > 0) this.sql('DELETE FROM weft_given WHERE run = ?').run(run);
    return changes > 0;
  }

  putText(name: string, text: string): void {
    this.sql('INSERT OR IGNORE INTO weft_texts (name, text) VALUES (?, ?)').run(name, text);
  }

  getText(name: string): string | undefined {
    const row = this.sql('SELECT text FROM weft_texts WHERE name = ?').get(name);
    return row && String(row['text']);
  }

  /** If the needs of any run are unknown, everything is kept. */
  dropTexts(except: readonly string[]): void {
    this.sql(
      `DELETE FROM weft_texts WHERE NOT EXISTS (SELECT 1 FROM weft_runs WHERE texts IS NULL)
        AND name NOT IN (SELECT needed.value FROM weft_runs, json_each(weft_runs.texts) AS needed)
        AND name NOT IN (SELECT value FROM json_each(?))`,
    ).run(JSON.stringify(except));
  }

  private sql(text: string): StatementSync {
    const known = this.statements.get(text);
    if (known !== undefined) return known;
    const statement = this.db.prepare(text);
    this.statements.set(text, statement);
    return statement;
  }
}

/** Adds the column that files of earlier releases lack: the texts that a run needs, as a JSON array. */
function addTexts(db: DatabaseSync): void {
  const isThere = db.prepare("SELECT 1 FROM pragma_table_info('weft_runs') WHERE name = 'texts'").get();
  if (isThere === undefined) db.exec('ALTER TABLE weft_runs ADD COLUMN texts TEXT');
}

function storedOf(row: Row): StoredRun {
  const { run, key, flow, version, input, started, status, passes, waiting, cancelled_by, end, ended } = row;
  return {
    run,
    flow,
    version,
    input,
    startedAt: started,
    status,
    passes,
    ...(key !== null && { key }),
    ...(waiting !== null && { waitingFor: waiting }),
    ...(cancelled_by !== null && { cancelledBy: cancelled_by }),
    ...(end !== null && { end }),
    ...(ended !== null && { endedAt: ended }),
  };
}

const UNFINISHED = `SELECT 1 FROM weft_runs WHERE status IN ('pending', 'running', 'waiting')
  OR (ended IS NOT NULL AND told = 0) LIMIT 1`;

/**
 * Whether a file has runs to continue or ends to report. Cheap, and starts nothing. An unreadable file counts as one
 * that has.
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
