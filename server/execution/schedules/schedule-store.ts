import type { Schedule } from '#shared/api.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';

/** A schedule is identified by its pattern too: with another pattern it is another schedule. */
export interface ScheduleId {
  readonly flow: string;
  readonly node: string;
  readonly pattern: string;
}

/** A pause of a schedule; times in Unix milliseconds. */
export interface Pause {
  readonly at: number;
  /** When the schedule went on; undefined while it is paused. */
  readonly until: number | undefined;
}

/** A schedule that somebody has paused; `at` in Unix milliseconds. */
export interface PausedSchedule {
  readonly flow: string;
  readonly node: string;
  readonly by: string;
  readonly at: number;
}

type Place = Pick<ScheduleId, 'flow' | 'node'>;

/** The time up to which each schedule is done, so that a started time never starts again. */
export interface ScheduleStore {
  /** Unix milliseconds; undefined for a schedule that is new or has a new pattern. Throws `storage_failed`. */
  last(of: ScheduleId): Promise<number | undefined>;
  /**
   * Notes that everything up to `to` is done, if the stored time is still `from`. Returns false, and stores nothing, if
   * another process has noted a time since. Throws `storage_failed`.
   */
  seen(of: ScheduleId, times: { readonly from: number | undefined; readonly to: number }): Promise<boolean>;
  /** The latest pause of a schedule, whatever its pattern. Throws `storage_failed`. */
  pauseOf(of: Place): Promise<Pause | undefined>;
  /** Those that are paused. */
  paused(): Promise<PausedSchedule[]>;
  /** Keeps the pause of a schedule that is paused already. */
  pause(of: Place, paused: { readonly by: string; readonly at: number }): Promise<void>;
  resume(of: Place, at: number): Promise<void>;
}

const FIND = 'SELECT last FROM schedules WHERE project = ? AND flow = ? AND node = ? AND pattern = ?';
/** For a schedule that is new or has a new pattern. */
const BEGIN = `INSERT INTO schedules (project, flow, node, pattern, last) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, flow, node) DO UPDATE SET pattern = excluded.pattern, last = excluded.last
  WHERE schedules.pattern <> excluded.pattern`;
const MOVE =
  'UPDATE schedules SET last = ? WHERE project = ? AND flow = ? AND node = ? AND pattern = ? AND last = ?';

const PAUSE_OF =
  'SELECT paused_at, resumed_at FROM schedule_pauses WHERE project = ? AND flow = ? AND node = ?';
const PAUSED = `SELECT flow, node, by_whom, paused_at FROM schedule_pauses
  WHERE project = ? AND resumed_at IS NULL ORDER BY flow, node`;
const PAUSE = `INSERT INTO schedule_pauses (project, flow, node, by_whom, paused_at, resumed_at) VALUES (?, ?, ?, ?, ?, NULL)
  ON CONFLICT (project, flow, node) DO UPDATE SET by_whom = excluded.by_whom, paused_at = excluded.paused_at, resumed_at = NULL
  WHERE schedule_pauses.resumed_at IS NOT NULL`;
const RESUME = `UPDATE schedule_pauses SET resumed_at = ?
  WHERE project = ? AND flow = ? AND node = ? AND resumed_at IS NULL`;

interface PauseRow {
  readonly flow: string;
  readonly node: string;
  readonly by_whom: string;
  readonly paused_at: number;
  readonly resumed_at: number | null;
}

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
    async pauseOf({ flow, node }) {
      const row = await sql.first<PauseRow>(PAUSE_OF, project, flow, node);
      return row && { at: row.paused_at, until: row.resumed_at ?? undefined };
    },
    async paused() {
      const rows = await sql.all<PauseRow>(PAUSED, project);
      return rows.map(({ flow, node, by_whom: by, paused_at: at }) => ({ flow, node, by, at }));
    },
    pause: async ({ flow, node }, { by, at }) => void (await sql.run(PAUSE, project, flow, node, by, at)),
    resume: async ({ flow, node }, at) => void (await sql.run(RESUME, at, project, flow, node)),
  };
}

/**
 * Holds schedules back.
 * SCP1. A time that comes while its schedule is paused starts nothing, whichever server looks at it and whenever: also after the
 *      schedule goes on, or after a restart.
 * SCP2. A pause belongs to the node of a flow: it outlasts new versions, another pattern, and times in which the flow is not live.
 */
export interface SchedulePauses {
  /** Does nothing to a schedule that is paused already. Throws `storage_failed`. */
  pause(of: Place, by: string): Promise<void>;
  /** Times that came meanwhile are left out. Does nothing to a schedule that is not paused. Throws `storage_failed`. */
  resume(of: Place): Promise<void>;
  /** The schedules with who paused them; paused ones have no next time. */
  withPauses(schedules: readonly Schedule[]): Promise<Schedule[]>;
}

/** `now` is the clock by which the schedules start. */
export function createSchedulePauses(store: ScheduleStore, now: () => number): SchedulePauses {
  return {
    pause: (of, by) => store.pause(of, { by, at: now() }),
    resume: (of) => store.resume(of, now()),
    async withPauses(schedules) {
      const paused = new Map((await store.paused()).map((one) => [`${one.flow} ${one.node}`, one]));
      return schedules.map((schedule) => {
        const found = paused.get(`${schedule.flow} ${schedule.node}`);
        if (found === undefined) return schedule;
        const { next: _, ...rest } = schedule;
        return { ...rest, paused: { by: found.by, at: new Date(found.at).toISOString() } };
      });
    },
  };
}
