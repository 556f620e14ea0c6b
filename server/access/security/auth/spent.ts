/**
 * The signed requests that were used: each may start one run. `spent.contract.ts` tests every implementation.
 * SP1. Of the same request sent many times, at once or one after the other, one is taken until its time is over.
 */
export interface SpentSignatures {
  /** Whether this server knows that it was used; others may know more. Costs nothing. */
  isKnown(key: string): boolean;
  /**
   * Uses a request up, and says whether it was there to use. `until`, in Unix milliseconds: from then on its time refuses
   * it. Resolves later, or rejects with `storage_failed`, only where servers share what was used.
   */
  spend(key: string, until: number): boolean | Promise<boolean>;
  /** It has started nothing, and may come again. */
  giveBack(key: string): void;
}

/** Beyond it, and after a restart, a request could be repeated within its tolerance. */
const MOST = 100_000;

/** Those of this server alone, in its memory. */
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
