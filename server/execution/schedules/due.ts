import type { ScheduleSpec, Times } from '../../base/requests/schedule-spec.ts';

/** A run to start now. */
export interface Due {
  readonly at: number;
  /** It passed while nobody could start it. */
  readonly late: boolean;
}

/** How much later than its time a run counts as late although the server was up, in milliseconds. */
export const LATE_MS = 60_000;
/** The most runs for missed times; the latest ones. */
export const MAX_CATCH_UP = 100;

/** The searched period, in Unix milliseconds. */
export interface Span {
  /** Everything up to it is done. */
  readonly last: number;
  /** Since when the server has been up and its clock has not jumped: earlier times were missed. */
  readonly since: number;
  readonly now: number;
}

/**
 * The times after `last` and up to `now` that are to be started, oldest first, and the time up to which everything is
 * done.
 * U1. No time at or before `last` is ever due again, whatever the clock does.
 * U2. Of the missed times only those that `catchUp` asks for are due; times that came while the server was up
 *     always are.
 */
export function dueTimes(
  times: Times,
  catchUp: ScheduleSpec['catchUp'],
  { last, since, now }: Span,
): { due: Due[]; seen: number } {
  const passed = passedTimes(times, last, now);
  const seen = passed.at(-1);
  if (seen === undefined) return { due: [], seen: last };
  const isLate = (time: number): boolean => time < since || now - time > LATE_MS;
  const missed = passed.filter(isLate).map((time) => ({ at: time, late: true }));
  const current = passed.filter((time) => !isLate(time)).map((time) => ({ at: time, late: false }));
  const wanted =
    catchUp === 'all' ? missed : catchUp === 'latest' && current.length === 0 ? missed.slice(-1) : [];
  return { due: [...wanted, ...current], seen };
}

/**
 * Usually there are few, which are found one by one from `last` on; after a long pause they are found from the other
 * end.
 */
const FEW = 3;

function passedTimes(times: Times, last: number, now: number): number[] {
  const passed: number[] = [];
  for (let at = times.after(last); at !== undefined && at <= now; at = times.after(at)) {
    if (passed.length === FEW) return times.upTo(now, MAX_CATCH_UP).filter((time) => time > last);
    passed.push(at);
  }
  return passed;
}
