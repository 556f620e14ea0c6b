import type { ScheduleSpec, Times } from './spec.ts';

/** What is to be started now. */
export interface Due {
  readonly at: number;
  /** It passed while nobody could start it. */
  readonly late: boolean;
}

/** How much later than its time a run counts as late, in milliseconds. */
export const LATE_MS = 60_000;
/** Runs for times that were missed, at most; the latest ones. */
export const MAX_CATCH_UP = 100;
/**
 * The times after `last` and up to `now` that are to be started, oldest first, and up to when everything is seen to.
 * U1. No time at or before `last` is ever due again, whatever the clock does.
 * U2. Of the times that were missed those that `catchUp` asks for; the one that is due right now always.
 */
export function dueTimes(
  times: Times,
  catchUp: ScheduleSpec['catchUp'],
  { last, now }: { readonly last: number; readonly now: number },
): { due: Due[]; seen: number } {
  const passed = passedTimes(times, last, now);
  const seen = passed.at(-1);
  if (seen === undefined) return { due: [], seen: last };
  const missed = passed.filter((time) => now - time > LATE_MS).map((time) => ({ at: time, late: true }));
  const current = passed.filter((time) => now - time <= LATE_MS).map((time) => ({ at: time, late: false }));
  const wanted =
    catchUp === 'all' ? missed : catchUp === 'latest' && current.length === 0 ? missed.slice(-1) : [];
  return { due: [...wanted, ...current], seen };
}

/** Mostly there are few, which are found one by one from `last` on; after a long rest they are found from the other end. */
const FEW = 3;

function passedTimes(times: Times, last: number, now: number): number[] {
  const passed: number[] = [];
  for (let at = times.after(last); at !== undefined && at <= now; at = times.after(at)) {
    if (passed.length === FEW) return times.upTo(now, MAX_CATCH_UP).filter((time) => time > last);
    passed.push(at);
  }
  return passed;
}
