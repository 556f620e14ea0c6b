type Compare = (a: number, b: number) => number;

/** Indexes that are sorted in one go, or merged before the work can be interrupted. */
const RUN = 256;

/**
 * The indexes 0 … count - 1, sorted by `compare`; the sort is stable. A merge sort, since the built-in sort cannot be
 * interrupted.
 */
export function* sortedPlaces(count: number, compare: Compare): Generator<undefined, Int32Array, undefined> {
  // Allocated at full size: growing a list to a million copies it again and again, without interruption.
  let sorted = new Int32Array(count);
  let merged = new Int32Array(count);
  for (let start = 0; start < count; start += RUN) {
    const run = Array.from({ length: Math.min(RUN, count - start) }, (_, i) => start + i);
    sorted.set(run.sort(compare), start);
    yield;
  }
  for (let width = RUN; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count);
      const end = Math.min(middle + width, count);
      yield* merge({ from: sorted, start, middle, end }, merged, compare);
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}

/** Two sorted ranges, one after the other. */
interface Neighbours {
  readonly from: Int32Array;
  readonly start: number;
  readonly middle: number;
  readonly end: number;
}

/** Merges both into their place in `into`, as one sorted range. */
function* merge(
  { from, start, middle, end }: Neighbours,
  into: Int32Array,
  compare: Compare,
): Generator<undefined, void, undefined> {
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const isLeft =
      right === end || (left < middle && compare(from[left] as number, from[right] as number) <= 0);
    into[at] = from[isLeft ? left++ : right++] as number;
    if (at % RUN === 0) yield;
  }
}
