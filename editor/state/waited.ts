/** A time in which a node waited for a person, a time or an event; Unix milliseconds. */
export interface Wait {
  readonly node: string;
  readonly from: number;
  /** Undefined while it still waits. */
  readonly to: number | undefined;
}

/** The time in which at least one node waited; `now` ends those that still wait. */
export function waitedMs(waits: readonly Wait[], now: number): number {
  let sum = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const { from, to = now } of [...waits].sort((a, b) => a.from - b.from)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}
