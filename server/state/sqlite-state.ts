import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '../adapters/transaction.ts';
import { storing } from '../adapters/weft-db.ts';
import { checkKey, encodeState, endOf, ONCE_MS, type StateStore, sumOf, SWEEP_EVERY } from './state-store.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS state (
    scope TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, ends_at REAL, PRIMARY KEY (scope, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS state_end ON state (ends_at) WHERE ends_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS state_added (
    scope TEXT NOT NULL, key TEXT NOT NULL, once TEXT NOT NULL, sum REAL NOT NULL, ends_at REAL NOT NULL,
    PRIMARY KEY (scope, key, once)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS state_added_end ON state_added (ends_at);
`;

/** State in `weft.db`. The caller closes the database. */
export function createSqliteState(db: DatabaseSync, now: () => number): StateStore {
  storing(() => db.exec(TABLES));
  const find = db.prepare(
    'SELECT json, ends_at FROM state WHERE scope = ? AND key = ? AND (ends_at IS NULL OR ends_at > ?)',
  );
  const put = db.prepare('INSERT OR REPLACE INTO state (scope, key, json, ends_at) VALUES (?, ?, ?, ?)');
  const drop = db.prepare('DELETE FROM state WHERE scope = ? AND key = ?');
  const findAdded = db.prepare(
    'SELECT sum FROM state_added WHERE scope = ? AND key = ? AND once = ? AND ends_at > ?',
  );
  const putAdded = db.prepare(
    'INSERT OR REPLACE INTO state_added (scope, key, once, sum, ends_at) VALUES (?, ?, ?, ?, ?)',
  );
  const ended = ['state', 'state_added'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE ends_at <= ?`),
  );
  let writes = 0;

  function sweep(): void {
    if (writes++ % SWEEP_EVERY === 0) for (const statement of ended) statement.run(now());
  }

  function addNow(scope: string, key: string, by: number, { ttlMs, once }: AddOptions): number {
    const known = once === undefined ? undefined : (findAdded.get(scope, key, once, now()) as Added);
    if (known !== undefined) return known.sum;
    const row = find.get(scope, key, now()) as Row;
    const sum = sumOf(key, row && (JSON.parse(row.json) as unknown), by);
    put.run(scope, key, JSON.stringify(sum), row ? row.ends_at : (endOf(now(), ttlMs) ?? null));
    if (once !== undefined) putAdded.run(scope, key, once, sum, now() + ONCE_MS);
    sweep();
    return sum;
  }

  return {
    async get(scope, key) {
      checkKey(key);
      const row = storing(() => find.get(scope, key, now()) as Row);
      return row && (JSON.parse(row.json) as unknown);
    },
    async set(scope, key, value, { ttlMs } = {}) {
      checkKey(key);
      const json = value === undefined ? undefined : encodeState(key, value);
      storing(() => {
        if (json === undefined) drop.run(scope, key);
        else put.run(scope, key, json, endOf(now(), ttlMs) ?? null);
        sweep();
      });
    },
    async add(scope, key, by, options = {}) {
      checkKey(key);
      return storing(() => inTransaction(db, () => addNow(scope, key, by, options)));
    },
  };
}

type Row = { readonly json: string; readonly ends_at: number | null } | undefined;
type Added = { readonly sum: number } | undefined;
interface AddOptions {
  readonly ttlMs?: number;
  readonly once?: string;
}
