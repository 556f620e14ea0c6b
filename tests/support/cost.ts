const ROUNDS = 9;

/**
 * How much longer `second` takes than `first`: the quickest of several rounds of each, in turns, so that a busy machine slows
 * both alike. For two that take about as long if all is well.
 */
export function costRatio(first: () => void, second: () => void): number {
  const quickest = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  for (let round = 0; round < ROUNDS; round++) {
    quickest[0] = Math.min(quickest[0], costOf(first));
    quickest[1] = Math.min(quickest[1], costOf(second));
  }
  return quickest[1] / quickest[0];
}

function costOf(work: () => void): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}
