/**
 * The used signed requests: each may start one run. `spent.contract.ts` tests every implementation.
 * SP1. A request that is sent many times, at once or in sequence, is accepted once until its time is over.
 */
export interface SpentSignatures {
  /** Whether this server knows that it was used; other servers may know more. Cheap. */
  isKnown(key: string): boolean;
  /**
   * Uses a request up; false if it was used already. `until`, in Unix milliseconds: from then on its time refuses
   * it. Resolves later, or rejects with `storage_failed`, only where servers share the store.
   */
  spend(key: string, until: number): boolean | Promise<boolean>;
  /** The request started no run, and may be sent again. */
  giveBack(key: string): void;
}

/** Beyond it, and after a restart, a request could be repeated within its tolerance. */
const MOST = 100_000;

/** The requests used on this server alone, in memory. */
export function createSpent(now: () => number): SpentSignatures {
  const kept = new Map<string, number>();

  function dropOld(): void {
    for (const [key, until] of kept) {
      if (until > now() && kept.size <= MOST) return;
      kept.delete(key);
    }
  }

  return {
    isKnown: (key) => kept.has(key),
    spend(key, until) {
      if (kept.has(key)) return false;
      kept.set(key, until);
      dropOld();
      return true;
    },
    giveBack: (key) => void kept.delete(key),
  };
}
