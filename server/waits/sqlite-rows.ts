import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../adapters/transaction.ts';
import { storing } from '../adapters/weft-db.ts';
import type { WaitRow, WaitRows } from './wait-rows.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS waits (
    id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, status TEXT NOT NULL,
    opened_at REAL NOT NULL, until REAL, notify TEXT, over_at REAL, told TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS waits_status ON waits (status, opened_at);
  CREATE INDEX IF NOT EXISTS waits_run ON waits (run);
  CREATE INDEX IF NOT EXISTS waits_due ON waits (notify) WHERE notify = 'due';
  CREATE INDEX IF NOT EXISTS waits_over ON waits (over_at) WHERE over_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS waits_until ON waits (until) WHERE status = 'open' AND until IS NOT NULL;
`;

/** Rows in `weft.db`. The caller closes the database; the tables are created on first use. */
export function sqliteRows(db: DatabaseSync): WaitRows {
  let opened: Statements | undefined;
  const use = <T>(work: (statements: Statements) => T): T => storing(() => work((opened ??= prepare(db))));
  return {
    get: (id) => use(({ get }) => rowOf(get.get(id))),
    put: (row) => use(({ put }) => void put.run(...valuesOf(row))),
    list: ({ status, flow = null, run = null, limit }) =>
      use(({ list }) => rowsOf(list.all(status, flow, flow, run, run, limit + 1))),
    ofRun: (run) => use(({ ofRun }) => rowsOf(ofRun.all(run))),
    untold: () => use(({ untold }) => rowsOf(untold.all())),
    expire: (now) => use(({ expire }) => void expire.run(now)),
    sweep: (before) => use(({ sweep }) => void sweep.run(before)),
    forget: (run) => use(({ forget }) => void forget.run(run)),
    atomically: (work) => use(() => synced(db, () => inTransaction(db, work))),
  };
}

type Statements = ReturnType<typeof prepare>;

function prepare(db: DatabaseSync) {
  db.exec(TABLES);
  return {
    get: db.prepare('SELECT * FROM waits WHERE id = ?'),
    put: db.prepare('INSERT OR REPLACE INTO waits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    list: db.prepare(
      `SELECT * FROM waits WHERE status = ? AND (? IS NULL OR flow = ?) AND (? IS NULL OR run = ?)
       ORDER BY opened_at LIMIT ?`,
    ),
    ofRun: db.prepare('SELECT * FROM waits WHERE run = ? ORDER BY opened_at'),
    untold: db.prepare("SELECT * FROM waits WHERE notify = 'due' ORDER BY opened_at"),
    expire: db.prepare("UPDATE waits SET status = 'expired' WHERE status = 'open' AND until <= ?"),
    sweep: db.prepare('DELETE FROM waits WHERE over_at < ?'),
    forget: db.prepare('DELETE FROM waits WHERE run = ?'),
  };
}

/** A decision is worth the time that it takes to reach the disk: it survives a power cut too, not only a kill. */
function synced<T>(db: DatabaseSync, work: () => T): T {
  db.exec('PRAGMA synchronous = FULL');
  try {
    return work();
  } finally {
    db.exec('PRAGMA synchronous = NORMAL');
  }
}

interface Kept {
  readonly id: string;
  readonly run: string;
  readonly flow: string;
  readonly node: string;
  readonly status: WaitRow['status'];
  readonly opened_at: number;
  readonly until: number | null;
  readonly notify: 'due' | 'sent' | 'failed' | null;
  readonly over_at: number | null;
  readonly told: string;
}

function valuesOf(row: WaitRow) {
  const { id, run, flow, node, status, openedAt, until, notify, overAt, told } = row;
  const times = [openedAt, until ?? null, notify ?? null, overAt ?? null];
  return [id, run, flow, node, status, ...times, JSON.stringify(told)] as const;
}

function rowsOf(found: unknown[]): WaitRow[] {
  return found.map((kept) => rowOf(kept) as WaitRow);
}

function rowOf(found: unknown): WaitRow | undefined {
  if (found === undefined) return undefined;
  const { opened_at, over_at, until, notify, told, ...same } = found as Kept;
  return {
    ...same,
    openedAt: opened_at,
    until: until ?? undefined,
    notify: notify ?? undefined,
    overAt: over_at ?? undefined,
    told: JSON.parse(told) as WaitRow['told'],
  };
}
