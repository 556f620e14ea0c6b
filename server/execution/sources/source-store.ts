import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';

/** A source: another operator at the same node is another source. */
export interface SourceId {
  readonly flow: string;
  readonly node: string;
  readonly operator: string;
}

/** The delivered items and the cursors of sources. Every method may throw `storage_failed`. */
export interface SourceStore {
  /** The last stored cursor; undefined for a new source. */
  cursor(of: SourceId): Promise<unknown>;
  keep(of: SourceId, cursor: unknown): Promise<void>;
  /** Whether the item was noted before. An item is remembered for 60 days after the source last delivered it. */
  knows(of: SourceId, item: string): Promise<boolean>;
  /** Notes items as done; returns how many of them are new. */
  note(of: SourceId, items: readonly string[]): Promise<number>;
  /** The item is not done after all. */
  forget(of: SourceId, item: string): Promise<void>;
  /** Whether triggers have registered anything at services. */
  hasHooks(): Promise<boolean>;
  /** Deletes items whose time is over. */
  prune(): Promise<void>;
}

const DAY_MS = 86_400_000;
const KEPT_MS = 60 * DAY_MS;
const MANY = 500;

const CURSOR = 'SELECT cursor FROM sources WHERE project = ? AND flow = ? AND node = ? AND operator = ?';
const KEEP = `INSERT INTO sources (project, flow, node, operator, cursor) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, flow, node) DO UPDATE SET operator = excluded.operator, cursor = excluded.cursor`;
const KNOWS = 'SELECT at FROM source_items WHERE project = ? AND flow = ? AND node = ? AND item = ?';
const TOUCH = 'UPDATE source_items SET at = ? WHERE project = ? AND flow = ? AND node = ? AND item = ?';
const NOTE = `INSERT INTO source_items (project, flow, node, item, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, flow, node, item) DO NOTHING`;
const FORGET = 'DELETE FROM source_items WHERE project = ? AND flow = ? AND node = ? AND item = ?';
const HOOK = 'SELECT key FROM hooks WHERE project = ? LIMIT 1';
const PRUNE = 'DELETE FROM source_items WHERE project = ? AND at < ?';

/** Stored in the rows of a database, which the caller closes. */
export function createSourceStore(
  sql: Sql,
  now: () => number,
  project: string = DEFAULT_PROJECT,
): SourceStore {
  return {
    async cursor({ flow, node, operator }) {
      const row = await sql.first<{ readonly cursor: string }>(CURSOR, project, flow, node, operator);
      return row === undefined ? undefined : (JSON.parse(row.cursor) as unknown);
    },
    async keep({ flow, node, operator }, cursor) {
      await sql.run(KEEP, project, flow, node, operator, JSON.stringify(cursor ?? null));
    },
    async knows({ flow, node }, item) {
      const row = await sql.first<{ readonly at: number }>(KNOWS, project, flow, node, item);
      if (row === undefined) return false;
      if (row.at < now() - DAY_MS) await sql.run(TOUCH, now(), project, flow, node, item);
      return true;
    },
    async note({ flow, node }, items) {
      let added = 0;
      for (let from = 0; from < items.length; from += MANY) {
        const some = items.slice(from, from + MANY);
        const changed = await sql.batch(
          some.map((item) => [NOTE, project, flow, node, item, now()] as const),
        );
        added += changed.reduce((sum, rows) => sum + rows, 0);
      }
      return added;
    },
    async forget({ flow, node }, item) {
      await sql.run(FORGET, project, flow, node, item);
    },
    hasHooks: async () => (await sql.first(HOOK, project)) !== undefined,
    async prune() {
      await sql.run(PRUNE, project, now() - KEPT_MS);
    },
  };
}
