import type { Schedule } from '#shared/api.ts';
import type { PausedSchedule, ScheduleStore } from './schedule-store.ts';

type Place = Pick<PausedSchedule, 'flow' | 'node'>;

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
  /** With who paused them; paused ones have no next time. */
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
