import type { Delivery } from '#shared/calls-api.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import type { Sealer } from '../../base/secrets/seal.ts';

/** A notice with everything needed to send it. */
export interface StoredDelivery extends Delivery {
  readonly body: string;
  /** Name of the secret that signs the notice. */
  readonly secret: string | undefined;
  readonly node: string;
  readonly version: string;
}

/** Notices that have not arrived; stored when a method resolves. Every method throws `storage_failed`. */
export interface DeliveryStore {
  /** Does nothing if this run already had a notice, even one that has arrived. */
  add(delivery: StoredDelivery): Promise<void>;
  /** Notices due at `now` or before, the most overdue first. Each goes to one of several servers, for a minute. */
  due(now: number, limit: number): Promise<StoredDelivery[]>;
  /** When the next notice is due; undefined if there is none. */
  nextAt(): Promise<number | undefined>;
  arrived(run: string): Promise<void>;
  failed(
    run: string,
    change: { readonly problem: string; readonly nextAt: number | undefined },
  ): Promise<void>;
  /** Newest first. */
  list(limit: number): Promise<Delivery[]>;
  /** Deletes notices that were finished before `time`. */
  sweep(time: number): Promise<void>;
}

const ADD = `INSERT INTO deliveries (project, run, since, next_at, told, body) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, run) DO NOTHING`;
const DUE = 'SELECT * FROM deliveries WHERE project = ? AND next_at <= ? ORDER BY next_at LIMIT ?';
const TAKE = 'UPDATE deliveries SET next_at = ? WHERE project = ? AND run = ? AND next_at = ?';
const NEXT = 'SELECT min(next_at) AS at FROM deliveries WHERE project = ?';
const ARRIVED =
  'UPDATE deliveries SET arrived = 1, next_at = NULL, body = NULL WHERE project = ? AND run = ?';
const FAILED =
  'UPDATE deliveries SET attempts = attempts + 1, problem = ?, next_at = ? WHERE project = ? AND run = ?';
const LIST = 'SELECT * FROM deliveries WHERE project = ? AND arrived = 0 ORDER BY since DESC LIMIT ?';
const SWEEP = 'DELETE FROM deliveries WHERE project = ? AND next_at IS NULL AND since < ?';

/** How long a taken notice belongs to its server, in milliseconds: longer than an attempt to send it. */
const TAKEN_MS = 60_000;

/** The context that sealed bodies are bound to, so that they cannot be opened as anything else. */
export const ABOUT = 'weft-notice';

/**
 * Stored in the rows of a database, which the caller closes. Bodies are sealed, because they contain answers of runs,
 * which may repeat hidden fields.
 */
export function createDeliveryStore(
  sql: Sql,
  sealer: Sealer,
  { project = DEFAULT_PROJECT, isShared = false }: { project?: string; isShared?: boolean } = {},
): DeliveryStore {
  async function failed(run: string, problem: string, nextAt: number | undefined): Promise<void> {
    await sql.run(FAILED, problem, nextAt ?? null, project, run);
  }

  return {
    async add({ run, since, nextAt, body, flow, url, secret, node, version }) {
      const target = JSON.stringify({ flow, url, secret, node, version });
      await sql.run(ADD, project, run, since, nextAt ?? null, target, sealer.seal(body, ABOUT));
    },
    async due(now, limit) {
      const found: StoredDelivery[] = [];
      for (const row of await sql.all<Row>(DUE, project, now, limit)) {
        if (isShared && (await sql.run(TAKE, now + TAKEN_MS, project, row.run, row.next_at)) === 0) continue;
        const body = bodyOf(row, sealer);
        if (body === undefined)
          await failed(row.run, 'storage_failed: the notice was sealed with another key', undefined);
        else found.push({ ...deliveryOf(row), ...(JSON.parse(row.told) as Target), body });
      }
      return found;
    },
    async nextAt() {
      return (await sql.first<{ readonly at: number | null }>(NEXT, project))?.at ?? undefined;
    },
    async arrived(run) {
      await sql.run(ARRIVED, project, run);
    },
    failed: (run, { problem, nextAt }) => failed(run, problem, nextAt),
    list: async (limit) => (await sql.all<Row>(LIST, project, limit)).map(deliveryOf),
    async sweep(time) {
      await sql.run(SWEEP, project, time);
    },
  };
}

type Target = Pick<StoredDelivery, 'flow' | 'url' | 'secret' | 'node' | 'version'>;

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
 * Undefined if it was sealed with another key. Bodies from 0.1.0 are clear text: they name their run, which sealed ones
 * do not.
 */
function bodyOf({ run, body }: Row, sealer: Sealer): string | undefined {
  if ((JSON.parse(body) as { readonly run?: string }).run === run) return body;
  try {
    return sealer.unseal(body, ABOUT);
  } catch {
    return undefined;
  }
}

function deliveryOf({ run, since, next_at: nextAt, attempts, problem, told }: Row): Delivery {
  const { flow, url } = JSON.parse(told) as Target;
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
