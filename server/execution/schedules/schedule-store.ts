import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';

/** A schedule is identified by its pattern too: with another pattern it is another schedule. */
export interface ScheduleId {
  readonly flow: string;
  readonly node: string;
  readonly pattern: string;
}

/** The time up to which each schedule is done, so that a started time never starts again. */
export interface ScheduleStore {
  /** Unix milliseconds; undefined for a schedule that is new or has a new pattern. Throws `storage_failed`. */
  last(of: ScheduleId): Promise<number | undefined>;
  /**
   * Notes that everything up to `to` is done, if the stored time is still `from`. Returns false, and stores nothing, if
   * another process has noted a time since. Throws `storage_failed`.
   */
  seen(of: ScheduleId, times: { readonly from: number | undefined; readonly to: number }): Promise<boolean>;
}

const FIND = 'SELECT last FROM schedules WHERE project = ? AND flow = ? AND node = ? AND pattern = ?';
/** For a schedule that is new or has a new pattern. */
const BEGIN = `INSERT INTO schedules (project, flow, node, pattern, last) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, flow, node) DO UPDATE SET pattern = excluded.pattern, last = excluded.last
  WHERE schedules.pattern <> excluded.pattern`;
const MOVE =
  'UPDATE schedules SET last = ? WHERE project = ? AND flow = ? AND node = ? AND pattern = ? AND last = ?';

/** Stored in the rows of a database, which the caller closes. */
export function createScheduleStore(sql: Sql, project: string = DEFAULT_PROJECT): ScheduleStore {
  return {
    async last({ flow, node, pattern }) {
      return (await sql.first<{ readonly last: number }>(FIND, project, flow, node, pattern))?.last;
    },
    async seen({ flow, node, pattern }, { from, to }) {
      const changed =
        from === undefined
          ? await sql.run(BEGIN, project, flow, node, pattern, to)
          : await sql.run(MOVE, to, project, flow, node, pattern, from);
      return changed > 0;
    },
  };
}
