/** Chance that is the same for the same seed. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** Chance of its own for a part of the work, so that what one part takes changes nothing for the others. */
  fork(name: string): Random;
}

export function seeded(seed: number): Random {
  let state = seed | 0;
  // mulberry32
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    fork: (name) => seeded(Buffer.from(name).reduce((sum, byte) => Math.imul(sum, 31) + byte, seed)),
  };
}
