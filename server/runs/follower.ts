import type { RunEvent } from '#shared/run-event.ts';
import type { Gap } from '../context.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** Gets events in order; `json` is the same as text, written once for all. Returning `false` ends the watch. */
export type EventFn = (event: RunEvent | Gap, json: string) => unknown;

/** Where a follower of a run stands: it has seen everything up to `after`, or was told that it is gone. */
export interface Follower {
  after: number;
  readonly fn: EventFn;
}

/** `to` of a gap whose size nobody knows: nothing more of this run will come. */
export const UNKNOWN_END = Number.MAX_SAFE_INTEGER;

/** Gives an event to a follower unless it has it; a hole before it is announced. False when the follower wants no more. */
export function give(follower: Follower, event: RunEvent, json: string): boolean {
  if (event.seq <= follower.after) return true;
  const hole = follower.after + 1;
  if (
    event.seq > hole &&
    !tellGap(follower, { kind: 'gap', from: hole, to: event.seq - 1, reason: 'over-limit' })
  ) {
    return false;
  }
  follower.after = event.seq;
  return follower.fn(event, json) !== false;
}

export function tellGap(follower: Follower, gap: Gap): boolean {
  follower.after = gap.to;
  return follower.fn(gap, JSON.stringify(gap)) !== false;
}

/** Gives what was kept. False when the follower wants no more. */
export function givePast(follower: Follower, past: readonly RecordedEvent[]): boolean {
  return past.every(
    ({ seq, json }) => seq <= follower.after || give(follower, JSON.parse(json) as RunEvent, json),
  );
}
