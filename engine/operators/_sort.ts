type Compare = (a: number, b: number) => number;

/** Places that are sorted in one go, or merged before the work can be put down. */
const RUN = 256;

/**
 * The places 0 … count - 1 in the order that `compare` gives; equal ones stay as they are. A merge sort, since the built-in
 * one cannot be put down in the middle.
 */
export function* sortedPlaces(
  count: number,
  compare: Compare,
): Generator<undefined, readonly number[], undefined> {
  let sorted: number[] = [];
  for (let start = 0; start < count; start += RUN) {
    const run = Array.from({ length: Math.min(RUN, count - start) }, (_, i) => start + i);
    sorted.push(...run.sort(compare));
    yield;
  }
  for (let width = RUN; width < count; width *= 2) {
    const merged: number[] = [];
    for (let start = 0; start < count; start += 2 * width) {
      const middle = Math.min(start + width, count);
      const end = Math.min(middle + width, count);
      yield* merge({ from: sorted, start, middle, end }, merged, compare);
    }
    sorted = merged;
  }
  return sorted;
}

/** Two sorted stretches, one behind the other. */
interface Neighbours {
  readonly from: readonly number[];
  readonly start: number;
  readonly middle: number;
  readonly end: number;
}

/** Appends both to `into`, as one sorted stretch. */
function* merge(
  { from, start, middle, end }: Neighbours,
  into: number[],
  compare: Compare,
): Generator<undefined, void, undefined> {
  let left = start;
  let right = middle;
  while (left < middle || right < end) {
    const isLeft =
      right === end || (left < middle && compare(from[left] as number, from[right] as number) <= 0);
    into.push(from[isLeft ? left++ : right++] as number);
    if (into.length % RUN === 0) yield;
  }
}
