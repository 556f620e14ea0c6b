/** Signed requests that have started a run: each may do so once. */
export interface Spent {
  has(key: string): boolean;
  /** `until`, in Unix milliseconds: from then on its time refuses it. */
  add(key: string, until: number): void;
}

/** In memory, and at most 100,000: beyond that, and after a restart, a request could be repeated within its tolerance. */
const maxKept = 100_000;

export function createSpent(now: () => number): Spent {
  const kept = new Map<string, number>();

  function dropOld(): void {
    for (const [key, until] of kept) {
      if (until > now() && kept.size <= maxKept) return;
      kept.delete(key);
    }
  }

  return {
    has: (key) => kept.has(key),
    add(key, until) {
      kept.set(key, until);
      dropOld();
    },
  };
}
