import type { DatabaseSync } from 'node:sqlite';
import { storing } from '../adapters/weft-db.ts';

/** Up to when each schedule is done, which ensures that a started time never starts again. */
export interface ScheduleStore {
  /** Unix milliseconds; undefined for a schedule that is new, or whose pattern was changed. */
  last(flow: string, node: string, pattern: string): number | undefined;
  /** Notes that everything up to `time` is done; stored when it returns. Throws `storage_failed`. */
  seen(flow: string, node: string, pattern: string, time: number): void;
}

const TABLE = `
  CREATE TABLE IF NOT EXISTS schedules (
    flow TEXT NOT NULL, node TEXT NOT NULL, pattern TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (flow, node)
  ) STRICT, WITHOUT ROWID;
`;

/** In `weft.db`. The caller closes the database; its table is created on first use. */
export function createScheduleStore(db: DatabaseSync): ScheduleStore {
  const prepare = () => {
    db.exec(TABLE);
    return {
      find: db.prepare('SELECT last FROM schedules WHERE flow = ? AND node = ? AND pattern = ?'),
      put: db.prepare('INSERT OR REPLACE INTO schedules (flow, node, pattern, last) VALUES (?, ?, ?, ?)'),
    };
  };
  let opened: ReturnType<typeof prepare> | undefined;
  const use = <T>(work: (statements: ReturnType<typeof prepare>) => T): T =>
    storing(() => work((opened ??= prepare())));
  return {
    last: (flow, node, pattern) =>
      use(({ find }) => (find.get(flow, node, pattern) as { last: number } | undefined)?.last),
    seen: (flow, node, pattern, time) => use(({ put }) => void put.run(flow, node, pattern, time)),
  };
}
