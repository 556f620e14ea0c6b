import type { RunSummary } from '#shared/run-event.ts';
import { DEFAULT_PROJECT, type Sql, type SqlStatement, type SqlValue } from '../../storage/database/sql.ts';
import type { EventBatch, RunHistory, RunQuery } from './history.ts';
import { groupRows, originOf } from './journal/packs.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** Rows of one statement: few enough that their values stay far below the limit of a statement. */
const AT_ONCE = 100;
const LINE = `INSERT INTO run_line (project, run, flow, status, source, code, parent, started_at, words, json) VALUES `;
/** A run that has ended stays ended, whatever is reported later by a server that has lost it to another. */
const LINE_END = ` ON CONFLICT (project, run) DO UPDATE SET status = excluded.status, code = excluded.code,
  words = excluded.words, json = excluded.json
  WHERE excluded.status NOT IN ('waiting', 'running') OR run_line.status IN ('waiting', 'running')`;
/**
 * The lines of a pack: one JSON object maps each run's id to its start and duration, which are all that differs between
 * them; the database takes it apart. `WHERE true` lets SQLite distinguish the conflict clause from a join.
 */
const PACK = `INSERT INTO run_line (project, run, flow, status, source, code, parent, started_at, words, json)
  SELECT ?, "key", ?, 'ok', ?, NULL, NULL, CAST(CAST(value -> 0 AS TEXT) AS DOUBLE PRECISION), "key" || CAST(? AS TEXT),
  '{"run":"' || "key" || CAST(? AS TEXT) || CAST(value -> 0 AS TEXT) || ',"ms":' || CAST(value -> 1 AS TEXT)
  || ',"status":"ok","recorded":false}' FROM json_each(?) WHERE true${LINE_END}`;
const BATCH = `INSERT INTO run_batch (project, run, first, started_at, json) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, run, first) DO NOTHING`;
const VALUE = `INSERT INTO run_value (project, run, hash, json) VALUES (?, ?, ?, ?)
  ON CONFLICT (project, run, hash) DO NOTHING`;
const TAPE = `INSERT INTO run_tape (project, run, json) VALUES (?, ?, ?)
  ON CONFLICT (project, run) DO UPDATE SET json = excluded.json`;
const SHOWN = `SELECT run, json, EXISTS (SELECT 1 FROM run_batch
  WHERE run_batch.project = run_line.project AND run_batch.run = run_line.run) AS kept FROM run_line WHERE project = ?`;
const EVENTS = 'SELECT json FROM run_batch WHERE project = ? AND run = ? ORDER BY first';
const GET_VALUE = 'SELECT json FROM run_value WHERE project = ? AND run = ? AND hash = ?';
const GET_TAPE = 'SELECT json FROM run_tape WHERE project = ? AND run = ?';
const OLD_LINES = `SELECT run FROM run_line WHERE project = ? AND started_at < ? LIMIT ${AT_ONCE}`;
const OLD_BATCHES = `SELECT DISTINCT run FROM run_batch WHERE project = ? AND started_at < ? LIMIT ${AT_ONCE}`;
const TABLES = ['run_line', 'run_batch', 'run_value', 'run_tape'];
const PRUNE_MS = 3_600_000;

interface Options {
  /** Days for which runs are stored; if undefined, they stay until they are removed. */
  readonly days?: number;
  /** Called when runs could not be removed. */
  readonly warn?: (error: unknown) => void;
  readonly now?: () => number;
  readonly project?: string;
}

interface LineRow {
  readonly json: string;
  /** 1 or true if there are events. */
  readonly kept: number | boolean;
}

/** The history in the rows of a database, for servers that share it. The caller closes the database. */
export function createRowHistory(
  sql: Sql,
  { days, warn, now = Date.now, project = DEFAULT_PROJECT }: Options = {},
): RunHistory {
  const { drop, prune } = createRemoval(sql, project);
  const timer =
    days === undefined
      ? undefined
      : setInterval(() => void prune(now() - days * 86_400_000).catch(warn), PRUNE_MS).unref();

  async function summaries(condition: string, values: readonly SqlValue[]): Promise<RunSummary[]> {
    const rows = await sql.all<LineRow>(`${SHOWN} ${condition}`, project, ...values);
    return rows.map(shown);
  }

  /** Writes of events that are in progress. */
  const writing = new Set<Promise<void>>();

  async function writeEvents(batches: readonly EventBatch[]): Promise<void> {
    for (let from = 0; from < batches.length; from += AT_ONCE)
      await sql.batch(batches.slice(from, from + AT_ONCE).flatMap((one) => statementsOf(project, one)));
  }

  /**
   * Waits for the events that were handed over before, which go over other connections, so that a reader of the line on
   * another server reads its events too. It waits with texts only: the rows would outlive the young generation, which
   * costs more than all of this.
   */
  async function writeLines(statements: readonly SqlStatement[]): Promise<void> {
    await Promise.allSettled(writing);
    for (const statement of statements) await sql.run(...statement);
  }

  return {
    appendSummaries: (rows) => writeLines(linesOf(project, rows)),
    async appendEvents(batches) {
      const written = writeEvents(batches);
      writing.add(written);
      await written.finally(() => writing.delete(written));
      return 0;
    },
    get: async (run) => (await summaries('AND run = ?', [run]))[0],
    list(query) {
      const { condition, values } = conditionOf(query);
      return summaries(`${condition} ORDER BY run DESC LIMIT ?`, [...values, query.limit]);
    },
    async events(run, after) {
      const rows = await sql.all<{ readonly json: string }>(EVENTS, project, run);
      return rows
        .flatMap(({ json }) => JSON.parse(json) as RecordedEvent[])
        .filter((event) => event.seq > after);
    },
    value: async (run, hash) =>
      (await sql.first<{ readonly json: string }>(GET_VALUE, project, run, hash))?.json,
    tape: async (run) => (await sql.first<{ readonly json: string }>(GET_TAPE, project, run))?.json,
    remove: async (run) => (await drop([run])) > 0,
    prune,
    async close() {
      clearInterval(timer);
    },
  };
}

function createRemoval(sql: Sql, project: string) {
  async function drop(runs: readonly string[]): Promise<number> {
    const marks = runs.map(() => '?').join(', ');
    const changed = await sql.batch(
      TABLES.map((table) => [
        `DELETE FROM ${table} WHERE project = ? AND run IN (${marks})`,
        project,
        ...runs,
      ]),
    );
    return changed[0] ?? 0;
  }

  async function prune(time: number): Promise<number> {
    let removed = 0;
    for (const text of [OLD_LINES, OLD_BATCHES]) {
      for (;;) {
        const rows = await sql.all<{ readonly run: string }>(text, project, time);
        if (rows.length === 0) break;
        removed += await drop(rows.map(({ run }) => run));
      }
    }
    return removed;
  }

  return { drop, prune };
}

function shown({ json, kept }: LineRow): RunSummary {
  const row = JSON.parse(json) as RunSummary;
  return { ...row, recorded: row.recorded && Boolean(kept) };
}

function linesOf(project: string, rows: readonly RunSummary[]): SqlStatement[] {
  const { groups, rest } = groupRows(areInOrder(rows) ? rows : latest(rows));
  const statements = groups.map((group): SqlStatement => [PACK, ...packValues(project, group)]);
  for (let from = 0; from < rest.length; from += AT_ONCE) {
    const some = rest.slice(from, from + AT_ONCE);
    const marks = some.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ');
    statements.push([LINE + marks + LINE_END, ...some.flatMap((row) => valuesOf(project, row))]);
  }
  return statements;
}

/** One row for each run, because a statement may write a row only once: its end if it has one, else its last row. */
function latest(rows: readonly RunSummary[]): RunSummary[] {
  const byRun = new Map<string, RunSummary>();
  for (const row of rows) {
    const known = byRun.get(row.run);
    if (known === undefined || isOver(row) || !isOver(known)) byRun.set(row.run, row);
  }
  return [...byRun.values()];
}

function isOver({ status }: RunSummary): boolean {
  return status !== 'waiting' && status !== 'running';
}

/** Ascending ids, as those of quick runs are, belong to different runs; this check costs less than a map of them. */
function areInOrder(rows: readonly RunSummary[]): boolean {
  let last = '';
  for (const { run } of rows) {
    if (run <= last) return false;
    last = run;
  }
  return true;
}

/**
 * Most runs of a millisecond took equally long, so the same text follows their ids. The pieces are joined by the
 * quotation marks around the ids, which need no other quoting: they contain only letters and digits.
 */
function packValues(project: string, rows: readonly RunSummary[]): SqlValue[] {
  const [flow, version, trigger, source] = originOf(rows[0] as RunSummary);
  const pieces: string[] = ['{'];
  let [start, took, times] = [Number.NaN, Number.NaN, ''];
  for (const { run, startedAt, ms = 0 } of rows) {
    if (startedAt !== start || ms !== took) {
      [start, took] = [startedAt, ms];
      times = `:[${start},${took}],`;
    }
    pieces.push(run, times);
  }
  pieces.push(`${pieces.pop()?.slice(0, -1)}}`);
  const shared = JSON.stringify({ flow, version, trigger, source }).slice(1, -1);
  return [project, flow, source, ` ${flow} `, `",${shared},"startedAt":`, pieces.join('"')];
}

function valuesOf(project: string, row: RunSummary): SqlValue[] {
  const { run, flow, status, source, error, parent, startedAt } = row;
  const words = `${run} ${flow} ${error === undefined ? '' : JSON.stringify(error)}`.toLowerCase();
  const facts = [project, run, flow, status, source, error?.code ?? null, parent ?? null, startedAt];
  return [...facts, words, JSON.stringify(row)];
}

function statementsOf(
  project: string,
  { run, startedAt, events, values = [], tape }: EventBatch,
): SqlStatement[] {
  const [first] = events;
  return [
    ...(first === undefined
      ? []
      : [[BATCH, project, run, first.seq, startedAt, JSON.stringify(events)] as const]),
    ...values.map(({ hash, json }) => [VALUE, project, run, hash, json] as const),
    ...(tape === undefined ? [] : [[TAPE, project, run, tape] as const]),
  ];
}

function conditionOf(query: RunQuery): { condition: string; values: SqlValue[] } {
  const { flow, status, source, code, since, until, text, before, parent, nested } = query;
  const asked: (readonly [string, SqlValue | undefined])[] = [
    ['flow = ?', flow],
    ['status = ?', status],
    ['source = ?', source],
    ['code = ?', code],
    ['started_at >= ?', since],
    ['started_at < ?', until],
    ["words LIKE ? ESCAPE '!'", text && `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`],
    ['run < ?', before],
    ['parent = ?', parent],
  ];
  const given = asked.filter((one): one is readonly [string, SqlValue] => one[1] !== undefined);
  const level = parent === undefined && nested !== true ? ' AND parent IS NULL' : '';
  return {
    condition: given.map(([condition]) => ` AND ${condition}`).join('') + level,
    values: given.map(([, value]) => value),
  };
}
