import type { DatabaseSync } from 'node:sqlite';
import type { Delivery } from '#shared/calls-api.ts';
import { storing } from '../adapters/weft-db.ts';
import type { Sealer } from '../secrets/seal.ts';

/** A notice with everything needed to send it. */
export interface StoredDelivery extends Delivery {
  readonly body: string;
  /** Name of the secret that signs the notice. */
  readonly secret: string | undefined;
  readonly node: string;
  readonly version: string;
}

/** Notices that have not arrived; on disk when a method returns. Every method throws `storage_failed`. */
export interface DeliveryStore {
  /** Does nothing if this run already had a notice, even one that has arrived. */
  add(delivery: StoredDelivery): void;
  /** Notices due at `now` or before, the most overdue first. */
  due(now: number, limit: number): StoredDelivery[];
  /** When the next notice is due; undefined if there is none. */
  nextAt(): number | undefined;
  arrived(run: string): void;
  failed(run: string, change: { readonly problem: string; readonly nextAt: number | undefined }): void;
  /** Newest first. */
  list(limit: number): Delivery[];
  /** Deletes what has been over since before `time`. */
  sweep(time: number): void;
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS deliveries (
    run TEXT PRIMARY KEY, since INTEGER NOT NULL, next_at INTEGER, arrived INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, problem TEXT, told TEXT NOT NULL, body TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS deliveries_next ON deliveries (next_at) WHERE next_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS deliveries_over ON deliveries (since) WHERE next_at IS NULL;
  CREATE INDEX IF NOT EXISTS deliveries_open ON deliveries (since) WHERE arrived = 0;
`;

/** The context that sealed bodies are bound to, so that they cannot be opened as anything else. */
const ABOUT = 'weft-notice';

/**
 * In `weft.db`. Bodies are sealed, because they contain the answers of runs, which may repeat hidden fields. The
 * caller closes the database; the table is created on first use.
 */
export function createDeliveryStore(db: DatabaseSync, sealer: Sealer): DeliveryStore {
  let opened: ReturnType<typeof prepared> | undefined;
  const use = <T>(work: (statements: ReturnType<typeof prepared>) => T): T =>
    storing(() => work((opened ??= prepared(db))));
  return {
    add({ run, since, nextAt, body, flow, url, secret, node, version }) {
      const told = JSON.stringify({ flow, url, secret, node, version });
      use(({ add }) => add.run(run, since, nextAt ?? null, told, sealer.seal(body, ABOUT)));
    },
    due: (now, limit) =>
      use(({ due, failed }) =>
        (due.all(now, limit) as unknown as Row[]).flatMap((row) => {
          const body = bodyOf(row, sealer);
          if (body === undefined)
            failed.run('storage_failed: the notice was sealed with another key', null, row.run);
          return body === undefined ? [] : [{ ...deliveryOf(row), ...(JSON.parse(row.told) as Told), body }];
        }),
      ),
    nextAt: () => (use(({ next }) => next.get()) as { at: number | null }).at ?? undefined,
    arrived: (run) => use(({ arrived }) => void arrived.run(run)),
    failed: (run, { problem, nextAt }) => use(({ failed }) => void failed.run(problem, nextAt ?? null, run)),
    list: (limit) => use(({ list }) => list.all(limit) as unknown as Row[]).map(deliveryOf),
    sweep: (time) => use(({ sweep }) => void sweep.run(time)),
  };
}

type Told = Pick<StoredDelivery, 'flow' | 'url' | 'secret' | 'node' | 'version'>;

interface Row {
  readonly run: string;
  readonly since: number;
  readonly next_at: number | null;
  readonly attempts: number;
  readonly problem: string | null;
  readonly told: string;
  readonly body: string;
}

/**
 * Undefined if the key is another one. Bodies from 0.1.0 are in clear text: they name their run, which sealed ones do
 * not.
 */
function bodyOf({ run, body }: Row, sealer: Sealer): string | undefined {
  if ((JSON.parse(body) as { readonly run?: string }).run === run) return body;
  try {
    return sealer.unseal(body, ABOUT);
  } catch {
    return undefined;
  }
}

function prepared(db: DatabaseSync) {
  db.exec(TABLE);
  return {
    add: db.prepare(
      'INSERT OR IGNORE INTO deliveries (run, since, next_at, told, body) VALUES (?, ?, ?, ?, ?)',
    ),
    due: db.prepare('SELECT * FROM deliveries WHERE next_at <= ? ORDER BY next_at LIMIT ?'),
    next: db.prepare('SELECT MIN(next_at) AS at FROM deliveries'),
    arrived: db.prepare('UPDATE deliveries SET arrived = 1, next_at = NULL, body = NULL WHERE run = ?'),
    failed: db.prepare(
      'UPDATE deliveries SET attempts = attempts + 1, problem = ?, next_at = ? WHERE run = ?',
    ),
    list: db.prepare('SELECT * FROM deliveries WHERE arrived = 0 ORDER BY since DESC LIMIT ?'),
    sweep: db.prepare('DELETE FROM deliveries WHERE next_at IS NULL AND since < ?'),
  };
}

function deliveryOf({ run, since, next_at: nextAt, attempts, problem, told }: Row): Delivery {
  const { flow, url } = JSON.parse(told) as Told;
  const status = nextAt === null ? 'given-up' : 'due';
  return {
    run,
    flow,
    url,
    status,
    attempts,
    since,
    ...(nextAt !== null && { nextAt }),
    ...(problem !== null && { problem }),
  };
}
