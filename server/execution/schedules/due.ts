import type { Pause } from './schedule-store.ts';
import type { ScheduleSpec, Times } from '../../base/requests/schedule-spec.ts';

/** A run to start now. */
export interface Due {
  readonly at: number;
  /** It passed while the server could not start it. */
  readonly late: boolean;
}

/** A run counts as late if it starts this much after its time although the server was up, in milliseconds. */
export const LATE_MS = 60_000;
/** The most runs for missed times; the latest times are kept. */
export const MAX_CATCH_UP = 100;

/** The searched period, in Unix milliseconds. */
export interface Span {
  /** Everything up to this time is done. */
  readonly last: number;
  /** Since when the server has been up without a jump of its clock: earlier times were missed. */
  readonly since: number;
  readonly now: number;
  /** Times within it are left out. */
  readonly pause?: Pause | undefined;
}

/**
 * The times after `last` and up to `now` that are to be started, oldest first, and the time up to which everything is
 * then done.
 * U1. A time at or before `last` is never due again, whatever the clock does.
 * U2. A time within the pause is never due.
 * U3. Times that came before `since`, or more than `LATE_MS` ago, are missed, and due only if `catchUp` asks for them; others always are.
 */
export function dueTimes(
  times: Times,
  catchUp: ScheduleSpec['catchUp'],
  { last, since, now, pause }: Span,
): { due: Due[]; seen: number } {
  const all = passedTimes(times, last, now);
  const seen = all.at(-1);
  if (seen === undefined) return { due: [], seen: last };
  const passed = all.filter((time) => !isWithin(pause, time));
  const isLate = (time: number): boolean => time < since || now - time > LATE_MS;
  const missed = passed.filter(isLate).map((time) => ({ at: time, late: true }));
  const current = passed.filter((time) => !isLate(time)).map((time) => ({ at: time, late: false }));
  const wanted =
    catchUp === 'all' ? missed : catchUp === 'latest' && current.length === 0 ? missed.slice(-1) : [];
  return { due: [...wanted, ...current], seen };
}

function isWithin(pause: Pause | undefined, time: number): boolean {
  return pause !== undefined && time >= pause.at && (pause.until === undefined || time < pause.until);
}

/** The usual few times are found one by one from `last` on; after a long pause the search starts from the other end. */
const FEW = 3;

function passedTimes(times: Times, last: number, now: number): number[] {
  const passed: number[] = [];
  for (let at = times.after(last); at !== undefined && at <= now; at = times.after(at)) {
    if (passed.length === FEW) return times.upTo(now, MAX_CATCH_UP).filter((time) => time > last);
    passed.push(at);
  }
  return passed;
}
