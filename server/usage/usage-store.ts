import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { ModelSpent } from '#engine';
import type { Usage, UsageQuery, UsageSum } from '#shared/usage.ts';
import { storing } from '../adapters/weft-db.ts';

/** A model call, as it is counted. */
export interface UsageEntry extends ModelSpent {
  /** Unix milliseconds. */
  readonly at: number;
  /** The flow whose node made the call. */
  readonly flow: string;
  /** Name of the API key; empty for none. */
  readonly key: string;
}

/** The usage of models, by day (UTC), flow, model and key. Outlives the history of runs. */
export interface UsageStore {
  /** Throws `storage_failed`. */
  add(entry: UsageEntry): void;
  /** Throws `storage_failed`. */
  sum(query: UsageQuery): Usage;
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS model_usage (
    day TEXT NOT NULL, flow TEXT NOT NULL, model TEXT NOT NULL, key TEXT NOT NULL, calls INTEGER NOT NULL,
    input REAL NOT NULL, output REAL NOT NULL, cached REAL NOT NULL, cost REAL NOT NULL, unpriced INTEGER NOT NULL,
    PRIMARY KEY (day, flow, model, key)
  ) STRICT, WITHOUT ROWID;
`;
const ADD = `
  INSERT INTO model_usage VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    calls = calls + 1, input = input + excluded.input, output = output + excluded.output,
    cached = cached + excluded.cached, cost = cost + excluded.cost, unpriced = unpriced + excluded.unpriced;
`;
const SUMS = `total(calls) AS calls, total(input) AS input, total(output) AS output, total(cached) AS cached,
  total(cost) AS cost, total(unpriced) AS unpriced FROM model_usage WHERE day >= ? AND day <= ?`;
const MAX_ROWS = 1000;
/** No day is before the first or after the last. */
const [FIRST_DAY, LAST_DAY] = ['0000', '9999'];

/** In `weft.db`. The caller closes the database; its table is created on first use. */
export function createUsageStore(db: DatabaseSync): UsageStore {
  let isMade = false;
  const use = <T>(work: () => T): T =>
    storing(() => {
      if (!isMade) db.exec(TABLE);
      isMade = true;
      return work();
    });
  return {
    add({ at, flow, model, key, tokens, cost }) {
      const day = new Date(at).toISOString().slice(0, 10);
      const { input, output, cached = 0 } = tokens;
      const unpriced = cost === undefined ? 1 : 0;
      use(() => db.prepare(ADD).run(day, flow, model, key, input, output, cached, cost ?? 0, unpriced));
    },
    sum({ by, since = FIRST_DAY, until = LAST_DAY }) {
      const order = by === 'day' ? 'name' : 'total(input + output) DESC, name';
      // `by` is one of four words, so it is safe in the statement.
      const grouped = `SELECT ${by} AS name, ${SUMS} GROUP BY ${by} ORDER BY ${order} LIMIT ${MAX_ROWS}`;
      return use(() => ({
        by,
        rows: db
          .prepare(grouped)
          .all(since, until)
          .map((row) => ({ name: String(row['name']), ...sumOf(row) })),
        total: sumOf(db.prepare(`SELECT ${SUMS}`).get(since, until) ?? {}),
      }));
    },
  };
}

function sumOf(row: Readonly<Record<string, SQLOutputValue>>): Omit<UsageSum, 'name'> {
  const at = (field: string): number => Number(row[field] ?? 0);
  return {
    calls: at('calls'),
    tokens: { input: at('input'), output: at('output'), cached: at('cached') },
    // Adding fractions leaves a tail, such as 0.00030000000000000003.
    cost: Number(at('cost').toPrecision(12)),
    unpriced: at('unpriced'),
  };
}
