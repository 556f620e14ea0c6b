import type { WaitListQuery } from '#shared/wait.ts';
import type { SqlStatement, SqlTransaction } from '../../storage/database/sql.ts';
import { CALL_SIGNAL, type WaitRow } from './wait-row.ts';

const OF = 'SELECT * FROM waits WHERE project = ?';
const GET = `${OF} AND id = ?`;
const OF_RUN = `${OF} AND run = ? ORDER BY opened_at, id`;
const UNNOTIFIED = `${OF} AND notify = 'due' ORDER BY opened_at, id`;
const PUT = `INSERT INTO waits (project, id, run, flow, node, status, opened_at, until, notify, over_at, signal, told)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, id) DO UPDATE SET flow = excluded.flow, node = excluded.node, status = excluded.status,
    opened_at = excluded.opened_at, until = excluded.until, notify = excluded.notify, over_at = excluded.over_at,
    signal = excluded.signal, told = excluded.told`;
const SIGNALLED = `${OF} AND signal = ? AND status = 'open' AND (until IS NULL OR until > ?) AND id > ?
  ORDER BY id LIMIT ?`;
const FORGET = 'DELETE FROM waits WHERE project = ? AND run = ?';
const HAS_STALE = 'SELECT 1 AS found FROM waits WHERE project = ? AND over_at < ? LIMIT 1';
const SWEEP = 'DELETE FROM waits WHERE project = ? AND over_at < ?';

/** The rows of one project, as stored: an open one may be past its time. */
export interface WaitRows {
  get(id: string): Promise<WaitRow | undefined>;
  put(row: WaitRow): Promise<void>;
  /** The waits whose status at `now` is this one, oldest first; one more than `limit` if there are more. */
  list(query: WaitListQuery, now: number): Promise<WaitRow[]>;
  ofRun(run: string): Promise<WaitRow[]>;
  unnotified(): Promise<WaitRow[]>;
  /** Open waits that the signal ends, after an id, in the order of their ids. */
  signalled(signal: string, page: { after: string; limit: number; now: number }): Promise<WaitRow[]>;
  /** Deletes waits of runs that were over before this time; writes only if there are any. */
  sweep(before: number): Promise<void>;
  /** Deletes the waits of the run. */
  forget(run: string): Promise<void>;
}

export function sqlRows(sql: SqlTransaction, project: string): WaitRows {
  const all = async (...statement: SqlStatement): Promise<WaitRow[]> =>
    (await sql.all<StoredRow>(...statement)).map(rowOf);
  return {
    async get(id) {
      const found = await sql.first<StoredRow>(GET, project, id);
      return found && rowOf(found);
    },
    put: async (row) => void (await sql.run(PUT, project, ...valuesOf(row))),
    list: (query, now) => all(...listing(query, { project, now })),
    ofRun: (run) => all(OF_RUN, project, run),
    unnotified: () => all(UNNOTIFIED, project),
    signalled: (signal, { after, limit, now }) => all(SIGNALLED, project, signal, now, after, limit),
    async sweep(before) {
      if (await sql.first(HAS_STALE, project, before)) await sql.run(SWEEP, project, before);
    },
    forget: async (run) => void (await sql.run(FORGET, project, run)),
  };
}

const KINDS = {
  people: ' AND signal IS NULL',
  call: ` AND signal = '${CALL_SIGNAL}'`,
  event: ` AND signal <> '${CALL_SIGNAL}'`,
};

/** Where a page ended: the next one goes on behind this wait. */
export const placeOf = ({ openedAt, id }: Pick<WaitRow, 'openedAt' | 'id'>): string => `${openedAt} ${id}`;

/** Contains only the requested conditions, so that the database chooses the best index. */
function listing(
  { status, of = 'people', flow, run, after, limit }: WaitListQuery,
  { project, now }: { readonly project: string; readonly now: number },
): SqlStatement {
  const isOpen = status === 'open';
  const [opened, id] =
    after === undefined ? [] : [Number.parseInt(after, 10), after.slice(after.indexOf(' ') + 1)];
  const conditions = [
    flow !== undefined && ' AND flow = ?',
    run !== undefined && ' AND run = ?',
    after !== undefined && ` AND (opened_at, id) ${isOpen ? '>' : '<'} (?, ?)`,
  ];
  const some = `${OF}${KINDS[of]}${conditions.filter(Boolean).join('')}`;
  const values = [project, flow, run, opened, id].filter((value) => value !== undefined);
  if (isOpen) {
    const end = 'ORDER BY opened_at, id LIMIT ?';
    return [`${some} AND status = 'open' AND (until IS NULL OR until > ?) ${end}`, ...values, now, limit + 1];
  }
  const end = 'ORDER BY opened_at DESC, id DESC LIMIT ?';
  if (status === 'expired') {
    const both = `${some} AND status = 'expired' UNION ALL ${some} AND status = 'open' AND until <= ? ${end}`;
    return [both, ...values, ...values, now, limit + 1];
  }
  return [`${some} AND status = ? ${end}`, ...values, status, limit + 1];
}

interface StoredRow {
  readonly id: string;
  readonly run: string;
  readonly flow: string;
  readonly node: string;
  readonly status: WaitRow['status'];
  readonly opened_at: number;
  readonly until: number | null;
  readonly notify: 'due' | 'sent' | 'failed' | null;
  readonly over_at: number | null;
  readonly signal: string | null;
  readonly told: string;
}

function valuesOf({ id, run, flow, node, status, openedAt, until, notify, overAt, signal, shown }: WaitRow) {
  const times = [openedAt, until ?? null, notify ?? null, overAt ?? null];
  return [id, run, flow, node, status, ...times, signal ?? null, JSON.stringify(shown)];
}

function rowOf({ opened_at, over_at, until, notify, signal, told, ...row }: StoredRow): WaitRow {
  const { id, run, flow, node, status } = row;
  return {
    id,
    run,
    flow,
    node,
    status,
    openedAt: opened_at,
    until: until ?? undefined,
    notify: notify ?? undefined,
    overAt: over_at ?? undefined,
    signal: signal ?? undefined,
    shown: JSON.parse(told) as WaitRow['shown'],
  };
}
