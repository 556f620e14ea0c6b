import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { RunSummary } from '#shared/run-event.ts';
import { Statements } from '../../../base/adapters/statements.ts';
import type { EventBatch, RunQuery } from '../history.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import { type Origin, originOf, type Pack } from './packs.ts';
import { SegmentPacks } from './segment-packs.ts';
import { conditionsOf, type Found, foundOf, type Row, selectRuns } from './segment-rows.ts';
import { SegmentValues } from './segment-values.ts';

/** Columns that files of earlier versions lack. */
const LATER = ['parent_node TEXT', 'tokens TEXT', 'cost REAL'];

const SCHEMA = `
CREATE TABLE IF NOT EXISTS flows (id INTEGER PRIMARY KEY, flow TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS origins (
  id INTEGER PRIMARY KEY, flow INTEGER NOT NULL, version TEXT NOT NULL, trigger_node TEXT NOT NULL, source TEXT NOT NULL,
  UNIQUE (flow, version, trigger_node, source)
);
CREATE TABLE IF NOT EXISTS runs (
  run TEXT PRIMARY KEY, flow INTEGER NOT NULL, origin INTEGER NOT NULL, started INTEGER NOT NULL, ms REAL,
  status TEXT NOT NULL, parent TEXT, recorded INTEGER NOT NULL, code TEXT, error TEXT, ${LATER.join(', ')}
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS runs_of_flow ON runs (flow, run);
CREATE INDEX IF NOT EXISTS runs_not_ok ON runs (status, run) WHERE status <> 'ok';
CREATE INDEX IF NOT EXISTS runs_of_parent ON runs (parent, run) WHERE parent IS NOT NULL;
CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, run TEXT NOT NULL, last INTEGER NOT NULL, lines TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS events_of_run ON events (run, id);
`;

/**
 * Memory for pages, in KiB. Small, because the worker reads and writes in long batches and the system caches the file
 * as well.
 */
const CACHE_KB = 2048;

/** The data that one file stores in one transaction. */
export interface Appended {
  readonly rows: readonly RunSummary[];
  readonly packs: readonly Pack[];
  readonly batches: readonly EventBatch[];
}

/**
 * One file of runs. Repeated texts (flow, version, trigger, source) are stored once; the row of a run takes some 80
 * bytes, a run in a pack half of that. Errors of SQLite are thrown as they are.
 */
export class Segment {
  /** The data beside the events of its runs. */
  readonly values: SegmentValues;
  private readonly db: DatabaseSync;
  private readonly packs: SegmentPacks;
  private readonly sql: Statements;
  private readonly origins = new Map<string, { flow: number; origin: number }>();

  constructor(file: string) {
    this.db = new DatabaseSync(file);
    try {
      this.db.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KB}; ${SCHEMA}`,
      );
      this.addLaterColumns();
      // SQLite's own `lower` knows ASCII only.
      this.db.function('folded', { deterministic: true }, (text) => String(text).toLowerCase());
      this.sql = new Statements(this.db);
      this.values = new SegmentValues(this.db);
      this.packs = new SegmentPacks(this.db);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** Adding a column to a table changes no row. */
  private addLaterColumns(): void {
    const known = new Set(
      this.db
        .prepare('PRAGMA table_info(runs)')
        .all()
        .map(({ name }) => String(name)),
    );
    for (const column of LATER) {
      const [name = ''] = column.split(' ');
      if (!known.has(name)) this.db.exec(`ALTER TABLE runs ADD COLUMN ${column}`);
    }
  }

  /** Stores all or nothing. */
  append({ rows, packs, batches }: Appended): void {
    this.atOnce(() => {
      for (const batch of batches) this.addEvents(batch);
      for (const row of rows) this.addRow(row);
      for (const pack of packs) this.packs.add(pack, this.idsOf(pack.origin));
    });
  }

  private atOnce<T>(change: () => T): T {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const result = change();
      this.db.exec('COMMIT');
      return result;
    } catch (error) {
      this.origins.clear();
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  get(run: string): Found | undefined {
    const row = this.sql.get(`${selectRuns} WHERE r.run = ?`).get(run);
    if (row !== undefined) return foundOf(row as unknown as Row);
    const packed = this.packs.get(run);
    return packed && this.packedFound(packed);
  }

  /** Newest first; rows and packed runs, each up to the requested number. */
  list(query: RunQuery): Found[] {
    const { where, values } = conditionsOf(query);
    const statement = this.sql.get(`${selectRuns} WHERE ${where} ORDER BY r.run DESC LIMIT ?`);
    const rows = statement.all(...values, query.limit).map((row) => foundOf(row as unknown as Row));
    return [...rows, ...this.packs.list(query).map((row) => this.packedFound(row))];
  }

  private packedFound(row: RunSummary): Found {
    return { row: { ...row, recorded: this.hasEvents(row.run) }, elsewhere: false };
  }

  /** The ids of waiting runs. */
  waiting(): string[] {
    return this.sql
      .get("SELECT run FROM runs WHERE status = 'waiting'")
      .all()
      .map(({ run }) => String(run));
  }

  hasRow(run: string): boolean {
    return this.sql.get('SELECT 1 FROM runs WHERE run = ?').get(run) !== undefined;
  }

  /** Removes the line of a run that a newer file has, but keeps its events. */
  removeRow(run: string): void {
    this.sql.get('DELETE FROM runs WHERE run = ?').run(run);
  }

  hasEvents(run: string): boolean {
    return this.sql.get('SELECT 1 FROM events WHERE run = ? LIMIT 1').get(run) !== undefined;
  }

  events(run: string, after: number): RecordedEvent[] {
    const rows = this.sql
      .get('SELECT lines FROM events WHERE run = ? AND last > ? ORDER BY id')
      .all(run, after);
    return rows.flatMap(({ lines }) => readLines(String(lines), after));
  }

  /** Removes a run; false if it is not in this file. */
  remove(run: string): boolean {
    return this.atOnce(() => {
      for (const row of this.packs.undo(run)) this.addRow(row);
      this.sql.get('DELETE FROM events WHERE run = ?').run(run);
      return this.sql.get('DELETE FROM runs WHERE run = ?').run(run).changes > 0;
    });
  }

  /** Whether a run started before `time`. Reads one row and the packs. */
  hasOlder(time: number): boolean {
    return (this.startAt('ASC') ?? time) < time || this.packs.hasOlder(time);
  }

  /** Removes runs that started before `time`; returns how many. */
  prune(time: number): number {
    return this.atOnce(() => this.pruneAtOnce(time));
  }

  private pruneAtOnce(time: number): number {
    const packed = this.packs.prune(time);
    for (const row of this.packs.undoOlder(time)) this.addRow(row);
    this.sql.get('DELETE FROM events WHERE run IN (SELECT run FROM runs WHERE started < ?)').run(time);
    return packed + Number(this.sql.get('DELETE FROM runs WHERE started < ?').run(time).changes);
  }

  get count(): number {
    return this.packs.count + Number(this.sql.get('SELECT count(*) AS n FROM runs').get()?.['n'] ?? 0);
  }

  /** The newest start in Unix milliseconds; undefined if empty. */
  get newestStart(): number | undefined {
    const starts = [this.startAt('DESC'), this.packs.newestStart].filter((start) => start !== undefined);
    return starts.length > 0 ? Math.max(...starts) : undefined;
  }

  /** Bytes of the file's pages, without the write-ahead log. */
  get bytes(): number {
    const pages = Number(this.sql.get('PRAGMA page_count').get()?.['page_count']);
    return pages * Number(this.sql.get('PRAGMA page_size').get()?.['page_size']);
  }

  /**
   * Frees the disk space of the write-ahead log, at a time of few writes. A failure is made good when the file is
   * closed.
   */
  shrinkLog(): void {
    try {
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The disk is full: the log keeps its content.
    }
  }

  close(): void {
    this.db.close();
  }

  private addEvents({ run, events, values = [], tape }: EventBatch): void {
    this.values.add(run, values, tape);
    const last = events.at(-1)?.seq;
    if (last === undefined) return;
    this.sql.get('INSERT INTO events (run, last, lines) VALUES (?, ?, ?)').run(run, last, writeLines(events));
  }

  private addRow(row: RunSummary): void {
    const { flow, origin } = this.idsOf(originOf(row));
    const insert = this.sql.get('INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const { ms, parent, error, tokens } = row;
    insert.run(
      row.run,
      flow,
      origin,
      row.startedAt,
      ms ?? null,
      row.status,
      parent ?? null,
      row.recorded ? 1 : 0,
      error?.code ?? null,
      error === undefined ? null : JSON.stringify(error),
      row.parentNode ?? null,
      tokens === undefined ? null : JSON.stringify(tokens),
      row.cost ?? null,
    );
  }

  private idsOf(of: Origin): { flow: number; origin: number } {
    const key = JSON.stringify(of);
    const known = this.origins.get(key);
    if (known !== undefined) return known;
    const [flow, ...rest] = of;
    this.sql.get('INSERT OR IGNORE INTO flows (flow) VALUES (?)').run(flow);
    const flowId = this.id('SELECT id FROM flows WHERE flow = ?', flow);
    const values = [flowId, ...rest];
    this.sql
      .get('INSERT OR IGNORE INTO origins (flow, version, trigger_node, source) VALUES (?, ?, ?, ?)')
      .run(...values);
    const origin = this.id(
      'SELECT id FROM origins WHERE flow = ? AND version = ? AND trigger_node = ? AND source = ?',
      ...values,
    );
    const made = { flow: flowId, origin };
    this.origins.set(key, made);
    return made;
  }

  /** The start of the first or last run: ids sort by start, so this needs no index on the start and no scan. */
  private startAt(order: 'ASC' | 'DESC'): number | undefined {
    const row = this.sql.get(`SELECT started FROM runs ORDER BY run ${order} LIMIT 1`).get();
    return row && Number(row['started']);
  }

  private id(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.sql.get(sql).get(...values)?.['id']);
  }
}

/** Events as one text: a line for each, with its number, a space and its JSON, which never contains a line break. */
function writeLines(events: readonly RecordedEvent[]): string {
  let text = '';
  for (const { seq, json } of events) text += `${seq} ${json}\n`;
  return text;
}

/** The events with a number above `after`. */
function readLines(text: string, after: number): RecordedEvent[] {
  const events: RecordedEvent[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const blank = line.indexOf(' ');
    const seq = Number(line.slice(0, blank));
    if (seq > after) events.push({ seq, json: line.slice(blank + 1) });
  }
  return events;
}
