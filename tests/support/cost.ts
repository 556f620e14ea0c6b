const ROUNDS = 5;

/**
 * How much longer `second` takes than `first`: the middle of several rounds. In each `first` is repeated for as long as `second` takes
 * once, so that a busy machine, which interrupts long pieces of work and seldom short ones, slows both alike.
 */
export function costRatio(first: () => void, second: () => void): number {
  const ratios = Array.from({ length: ROUNDS }, () => {
    const long = costOf(second);
    return long / costOf(first, long);
  });
  return ratios.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number;
}

/** The mean of as many times as begin within `span`, at least one; in milliseconds. */
function costOf(work: () => void, span = 0): number {
  const began = performance.now();
  let times = 0;
  let passed = 0;
  do {
    work();
    times++;
    passed = performance.now() - began;
  } while (passed < span);
  return passed / times;
}
