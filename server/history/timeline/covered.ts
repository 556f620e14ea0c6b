export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** How much of `whole` the others cover, each moment counted once. */
export function covered(whole: Interval, others: readonly Interval[]): number {
  let sum = 0;
  let reached = whole.start;
  for (const { start, end } of others.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(start, reached);
    const to = Math.min(end, whole.end);
    if (to <= from) continue;
    sum += to - from;
    reached = to;
  }
  return sum;
}
