import { DEFAULT_PROJECT, type Sql, type SqlTransaction } from '../../storage/database/sql.ts';
import { checkKey, encodeState, endOf, ONCE_MS, type StateStore, sumOf, SWEEP_EVERY } from './state-store.ts';

const FIND = `SELECT json, ends_at FROM state
  WHERE project = ? AND scope = ? AND key = ? AND (ends_at IS NULL OR ends_at > ?)`;
const PUT = `INSERT INTO state (project, scope, key, json, ends_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, scope, key) DO UPDATE SET json = excluded.json, ends_at = excluded.ends_at`;
const DROP = 'DELETE FROM state WHERE project = ? AND scope = ? AND key = ?';
const FIND_ADDED =
  'SELECT sum FROM state_added WHERE project = ? AND scope = ? AND key = ? AND once = ? AND ends_at > ?';
const PUT_ADDED = `INSERT INTO state_added (project, scope, key, once, sum, ends_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (project, scope, key, once) DO UPDATE SET sum = excluded.sum, ends_at = excluded.ends_at`;
/** Replaces a sum only if it is still the value that was read. */
const REPLACE = 'UPDATE state SET json = ? WHERE project = ? AND scope = ? AND key = ? AND json = ?';
/** Begins a sum only if the key has no value, or an expired one. */
const BEGIN = `${PUT} WHERE state.ends_at <= ?`;

/** Stored in the rows of a database, which the caller closes. */
export function createSqlState(sql: Sql, now: () => number, project: string = DEFAULT_PROJECT): StateStore {
  /** This process adds to one key sequentially, so that its additions do not conflict in the database. */
  const adding = new Queues();
  let writes = 0;

  async function wrote(): Promise<void> {
    if (writes++ % SWEEP_EVERY !== 0) return;
    const ended = ['state', 'state_added'].map(
      (table) => `DELETE FROM ${table} WHERE project = ? AND ends_at <= ?`,
    );
    await sql.batch(ended.map((text) => [text, project, now()]));
  }

  async function addOnce(
    tx: SqlTransaction,
    { scope, key, by, ttlMs }: Addition,
    once: string,
  ): Promise<number> {
    const known = await tx.first<Added>(FIND_ADDED, project, scope, key, once, now());
    if (known !== undefined) return known.sum;
    const row = await tx.first<Row>(FIND, project, scope, key, now());
    const sum = sumOf(key, row && (JSON.parse(row.json) as unknown), by);
    const end = row ? row.ends_at : (endOf(now(), ttlMs) ?? null);
    await tx.run(PUT, project, scope, key, JSON.stringify(sum), end);
    await tx.run(PUT_ADDED, project, scope, key, once, sum, now() + ONCE_MS);
    return sum;
  }

  /**
   * Without a transaction, which would block all other writes: repeats if another process changed the sum meanwhile.
   */
  async function addFreely({ scope, key, by, ttlMs }: Addition): Promise<number> {
    for (;;) {
      const row = await sql.first<Row>(FIND, project, scope, key, now());
      const sum = sumOf(key, row && (JSON.parse(row.json) as unknown), by);
      const json = JSON.stringify(sum);
      const changed = row
        ? await sql.run(REPLACE, json, project, scope, key, row.json)
        : await sql.run(BEGIN, project, scope, key, json, endOf(now(), ttlMs) ?? null, now());
      if (changed > 0) return sum;
    }
  }

  return {
    async get(scope, key) {
      checkKey(key);
      const row = await sql.first<Row>(FIND, project, scope, key, now());
      return row && (JSON.parse(row.json) as unknown);
    },
    async set(scope, key, value, { ttlMs } = {}) {
      checkKey(key);
      if (value === undefined) await sql.run(DROP, project, scope, key);
      else await sql.run(PUT, project, scope, key, encodeState(key, value), endOf(now(), ttlMs) ?? null);
      await wrote();
    },
    async add(scope, key, by, { ttlMs, once } = {}) {
      checkKey(key);
      const addition = { scope, key, by, ttlMs };
      const sum = await adding.after(JSON.stringify([scope, key]), () =>
        once === undefined ? addFreely(addition) : sql.transaction((tx) => addOnce(tx, addition, once)),
      );
      await wrote();
      return sum;
    },
  };
}

interface Addition {
  readonly scope: string;
  readonly key: string;
  readonly by: number;
  readonly ttlMs: number | undefined;
}

interface Row {
  readonly json: string;
  readonly ends_at: number | null;
}

interface Added {
  readonly sum: number;
}

/** Work with the same name is done sequentially. */
class Queues {
  private readonly last = new Map<string, Promise<unknown>>();

  after<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = (this.last.get(name) ?? Promise.resolve()).then(work);
    const over: Promise<unknown> = done
      .catch(() => {})
      .finally(() => this.last.get(name) === over && this.last.delete(name));
    this.last.set(name, over);
    return done;
  }
}
