import type { ModelSpent } from '#engine';
import type { Usage, UsageQuery, UsageSum } from '#shared/usage.ts';
import { DEFAULT_PROJECT, type Sql, type SqlValue } from '../../storage/database/sql.ts';

/** A model call to be counted. */
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
  add(entry: UsageEntry): Promise<void>;
  /** Includes every call that was added before. Throws `storage_failed`. */
  sum(query: UsageQuery): Promise<Usage>;
}

const ADD = `
  INSERT INTO model_usage (project, day, flow, model, key, calls, input, output, cached, cost, unpriced)
  VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT (project, day, flow, model, key) DO UPDATE SET
    calls = model_usage.calls + 1, input = model_usage.input + excluded.input,
    output = model_usage.output + excluded.output, cached = model_usage.cached + excluded.cached,
    cost = model_usage.cost + excluded.cost, unpriced = model_usage.unpriced + excluded.unpriced`;
const TOTALS = ['calls', 'input', 'output', 'cached', 'cost', 'unpriced'].map(
  (name) => `sum(${name}) AS ${name}`,
);
const SUMS = `${TOTALS.join(', ')} FROM model_usage WHERE project = ? AND day >= ? AND day <= ?`;
const MAX_ROWS = 1000;
/** No day is before the first or after the last. */
const [FIRST_DAY, LAST_DAY] = ['0000', '9999'];

/** Stored in the rows of a database, which the caller closes. */
export function createUsageStore(sql: Sql, project: string = DEFAULT_PROJECT): UsageStore {
  const adding = new Set<Promise<unknown>>();
  return {
    async add({ at, flow, model, key, tokens, cost }) {
      const day = new Date(at).toISOString().slice(0, 10);
      const { input, output, cached = 0 } = tokens;
      const unpriced = cost === undefined ? 1 : 0;
      const added = sql.run(ADD, project, day, flow, model, key, input, output, cached, cost ?? 0, unpriced);
      adding.add(added);
      try {
        await added;
      } finally {
        adding.delete(added);
      }
    },
    async sum({ by, since = FIRST_DAY, until = LAST_DAY }) {
      await Promise.allSettled(adding);
      const order = by === 'day' ? 'name' : 'sum(input + output) DESC, name';
      // `by` is one of four words, so it is safe in the statement.
      const grouped = `SELECT ${by} AS name, ${SUMS} GROUP BY ${by} ORDER BY ${order} LIMIT ${MAX_ROWS}`;
      const rows = await sql.all<Sums & { readonly name: string }>(grouped, project, since, until);
      const total = await sql.first<Sums>(`SELECT ${SUMS}`, project, since, until);
      return { by, rows: rows.map((row) => ({ name: row.name, ...sumOf(row) })), total: sumOf(total ?? {}) };
    },
  };
}

type Sums = Readonly<Record<string, SqlValue>>;

function sumOf(row: Sums): Omit<UsageSum, 'name'> {
  const at = (field: string): number => Number(row[field] ?? 0);
  return {
    calls: at('calls'),
    tokens: { input: at('input'), output: at('output'), cached: at('cached') },
    // Adding fractions leaves a tail, such as 0.00030000000000000003.
    cost: Number(at('cost').toPrecision(12)),
    unpriced: at('unpriced'),
  };
}
