import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunQuery } from '../../context.ts';
import type { EventBatch } from '../history.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import { readLines, writeLines } from './lines.ts';
import { SegmentValues } from './segment-values.ts';

/** Columns that files of earlier versions have not. */
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

const COLUMNS = `r.run, f.flow, o.version, o.trigger_node, o.source, r.started, r.ms, r.status, r.parent, r.recorded, r.error,
  r.parent_node, r.tokens, r.cost,
  EXISTS (SELECT 1 FROM events e WHERE e.run = r.run) AS kept`;
// CROSS JOIN keeps SQLite to this order, in which the run's indexes give the rows sorted.
const FROM = 'FROM runs r CROSS JOIN flows f ON f.id = r.flow CROSS JOIN origins o ON o.id = r.origin';

/** Memory for pages, in KiB: the worker reads and writes in long batches, the system caches the file besides. */
const CACHE_KB = 2048;

interface Row {
  readonly run: string;
  readonly flow: string;
  readonly version: string;
  readonly trigger_node: string;
  readonly source: RunSummary['source'];
  readonly started: number;
  readonly ms: number | null;
  readonly status: RunSummary['status'];
  readonly parent: string | null;
  readonly recorded: number;
  readonly error: string | null;
  readonly parent_node: string | null;
  readonly tokens: string | null;
  readonly cost: number | null;
  readonly kept: number;
}

/** A row as it is read, and whether it was written with events that this file does not hold. */
export interface Found {
  readonly row: RunSummary;
  readonly elsewhere: boolean;
}

/**
 * One file of runs. Texts that repeat (flow, version, trigger, source) are stored once; a row of a run takes some 80 bytes.
 * Everything throws what SQLite throws.
 */
export class Segment {
  /** What lies beside the events of its runs. */
  readonly values: SegmentValues;
  private readonly db: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private readonly origins = new Map<string, { flow: number; origin: number }>();

  constructor(file: string) {
    this.db = new DatabaseSync(file);
    try {
      this.db.exec(
        `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KB}; ${SCHEMA}`,
      );
      this.addLaterColumns();
      this.values = new SegmentValues(this.db);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** Adding one to a table changes no row. */
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

  /** All or nothing. */
  append(rows: readonly RunSummary[], batches: readonly EventBatch[]): void {
    this.db.exec('BEGIN IMMEDIATE');
    try {
      for (const batch of batches) this.addEvents(batch);
      for (const row of rows) this.addRow(row);
      this.db.exec('COMMIT');
    } catch (error) {
      this.origins.clear();
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  get(run: string): Found | undefined {
    const row = this.sql(`SELECT ${COLUMNS} ${FROM} WHERE r.run = ?`).get(run);
    return row && found(row as unknown as Row);
  }

  /** Newest first. */
  list(query: RunQuery): Found[] {
    const { where, values } = conditions(query);
    const statement = this.sql(`SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY r.run DESC LIMIT ?`);
    return statement.all(...values, query.limit).map((row) => found(row as unknown as Row));
  }

  hasEvents(run: string): boolean {
    return this.sql('SELECT 1 FROM events WHERE run = ? LIMIT 1').get(run) !== undefined;
  }

  events(run: string, after: number): RecordedEvent[] {
    const rows = this.sql('SELECT lines FROM events WHERE run = ? AND last > ? ORDER BY id').all(run, after);
    return rows.flatMap(({ lines }) => readLines(String(lines), after));
  }

  /** Removes a run; false when it is not in this file. */
  remove(run: string): boolean {
    this.sql('DELETE FROM events WHERE run = ?').run(run);
    return this.sql('DELETE FROM runs WHERE run = ?').run(run).changes > 0;
  }

  /** Removes runs that started before `time`; gives how many. Looks at one row where there are none. */
  prune(time: number): number {
    if ((this.startAt('ASC') ?? time) >= time) return 0;
    this.sql('DELETE FROM events WHERE run IN (SELECT run FROM runs WHERE started < ?)').run(time);
    return Number(this.sql('DELETE FROM runs WHERE started < ?').run(time).changes);
  }

  get count(): number {
    return Number(this.sql('SELECT count(*) AS n FROM runs').get()?.['n'] ?? 0);
  }

  /** The newest start in Unix milliseconds; undefined when empty. */
  get newestStart(): number | undefined {
    return this.startAt('DESC');
  }

  /** Bytes of the file's pages, without the write-ahead log. */
  get bytes(): number {
    const pages = Number(this.sql('PRAGMA page_count').get()?.['page_count']);
    return pages * Number(this.sql('PRAGMA page_size').get()?.['page_size']);
  }

  close(): void {
    this.db.close();
  }

  private addEvents({ run, events, values = [], tape }: EventBatch): void {
    this.values.add(run, values, tape);
    const last = events.at(-1)?.seq;
    if (last === undefined) return;
    this.sql('INSERT INTO events (run, last, lines) VALUES (?, ?, ?)').run(run, last, writeLines(events));
  }

  private addRow(row: RunSummary): void {
    const { flow, origin } = this.originOf(row);
    const insert = this.sql('INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
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

  private originOf({ flow, version, trigger, source }: RunSummary): { flow: number; origin: number } {
    const key = JSON.stringify([flow, version, trigger, source]);
    const known = this.origins.get(key);
    if (known !== undefined) return known;
    this.sql('INSERT OR IGNORE INTO flows (flow) VALUES (?)').run(flow);
    const flowId = this.id('SELECT id FROM flows WHERE flow = ?', flow);
    const values = [flowId, version, trigger, source];
    this.sql('INSERT OR IGNORE INTO origins (flow, version, trigger_node, source) VALUES (?, ?, ?, ?)').run(
      ...values,
    );
    const origin = this.id(
      'SELECT id FROM origins WHERE flow = ? AND version = ? AND trigger_node = ? AND source = ?',
      ...values,
    );
    const made = { flow: flowId, origin };
    this.origins.set(key, made);
    return made;
  }

  /** Of the first or last run: ids sort by start, so neither takes an index of its own nor a look at every row. */
  private startAt(order: 'ASC' | 'DESC'): number | undefined {
    const row = this.sql(`SELECT started FROM runs ORDER BY run ${order} LIMIT 1`).get();
    return row && Number(row['started']);
  }

  private id(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.sql(sql).get(...values)?.['id']);
  }

  private sql(text: string): StatementSync {
    const known = this.statements.get(text);
    if (known !== undefined) return known;
    const statement = this.db.prepare(text);
    this.statements.set(text, statement);
    return statement;
  }
}

function found(row: Row): Found {
  const { run, flow, version, source, started: startedAt, status } = row;
  const summary: RunSummary = {
    run,
    flow,
    version,
    trigger: row.trigger_node,
    source,
    startedAt,
    status,
    recorded: row.kept === 1,
  };
  if (row.ms !== null) summary.ms = row.ms;
  if (row.parent !== null) summary.parent = row.parent;
  if (row.error !== null) summary.error = JSON.parse(row.error);
  if (row.parent_node !== null) summary.parentNode = row.parent_node;
  if (row.tokens !== null) summary.tokens = JSON.parse(row.tokens);
  if (row.cost !== null) summary.cost = row.cost;
  return { row: summary, elsewhere: row.recorded === 1 && row.kept === 0 };
}

function conditions(query: RunQuery): { where: string; values: SQLInputValue[] } {
  const parts: [condition: string, value: SQLInputValue | undefined][] = [
    ['r.flow = (SELECT id FROM flows WHERE flow = ?)', query.flow],
    ['r.status = ?', query.status],
    ['r.parent = ?', query.parent],
    ['r.run < ?', query.before],
    ['o.source = ?', query.source],
    ['r.code = ?', query.code],
    ['r.started >= ?', query.since],
    ['r.started < ?', query.until],
    [
      "instr(lower(r.run || ' ' || f.flow || ' ' || coalesce(r.error, '')), ?) > 0",
      query.text?.toLowerCase(),
    ],
  ];
  const used = parts.filter(([, value]) => value !== undefined);
  const where = used.map(([condition]) => condition);
  if (query.parent === undefined && query.nested !== true) where.push('r.parent IS NULL');
  return {
    where: where.length > 0 ? where.join(' AND ') : '1',
    values: used.flatMap(([, value]) => value ?? []),
  };
}
