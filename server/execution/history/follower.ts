import type { RunEvent } from '#shared/run-event.ts';
import type { HeldRecord } from './held-records.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** A gap in a watcher's events, announced instead of silent. */
export interface Gap {
  readonly kind: 'gap';
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** Receives events in order; `json` is the event's text, serialized once for all. Returning `false` ends the watch. */
export type EventFn = (event: RunEvent | Gap, json: string) => unknown;

/** The position of a follower of a run: it has received everything up to `after`, or a gap in its place. */
export interface Follower {
  after: number;
  readonly fn: EventFn;
}

/** The `to` of a gap of unknown size: no more events of this run will come. */
export const UNKNOWN_END = Number.MAX_SAFE_INTEGER;

/** Passes an event to a follower that does not have it, after a gap if some are missing. False if it wants no more. */
export function give(follower: Follower, event: RunEvent, json: string): boolean {
  if (event.seq <= follower.after) return true;
  const hole = follower.after + 1;
  if (
    event.seq > hole &&
    !giveGap(follower, { kind: 'gap', from: hole, to: event.seq - 1, reason: 'over-limit' })
  ) {
    return false;
  }
  follower.after = event.seq;
  return follower.fn(event, json) !== false;
}

export function giveGap(follower: Follower, gap: Gap): boolean {
  follower.after = gap.to;
  return follower.fn(gap, JSON.stringify(gap)) !== false;
}

/** Passes on stored events. False if the follower wants no more. */
export function givePast(follower: Follower, { kept, events }: HeldRecord): boolean {
  for (let i = firstAfter(kept, follower.after); i < kept.length; i++) {
    const { json } = kept[i] as RecordedEvent;
    if (!give(follower, (events[i] ??= JSON.parse(json) as RunEvent), json)) return false;
  }
  return true;
}

/** A slow follower joins again and again, always near the end. */
function firstAfter(kept: readonly RecordedEvent[], seq: number): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((kept[middle] as RecordedEvent).seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
