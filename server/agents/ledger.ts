/** What is counted. `cost` is in the currency of the models' prices. */
export interface Used {
  readonly tokens: number;
  readonly cost: number;
  readonly steps: number;
}

export type Counted = keyof Used;

export const counted: readonly Counted[] = ['tokens', 'cost', 'steps'];

/**
 * What was used, and the estimated use of calls in progress. Several answers may share a ledger.
 * AL1. Reserved amounts count as used, so that simultaneous calls cannot spend the same remainder.
 */
export interface Ledger {
  used(what: Counted): number;
  /** Including reservations. */
  taken(what: Counted): number;
  /** Reserves more or, with negative numbers, less. */
  reserve(more: Partial<Used>): void;
  add(more: Used): Promise<void>;
}

/** `keep` stores an addition. */
export function createLedger(
  before: Used = { tokens: 0, cost: 0, steps: 0 },
  keep?: (what: Counted, more: number) => Promise<void>,
): Ledger {
  const used = { ...before };
  const reserved = { tokens: 0, cost: 0, steps: 0 };
  return {
    used: (what) => used[what],
    taken: (what) => used[what] + reserved[what],
    reserve(more) {
      for (const what of counted) reserved[what] += more[what] ?? 0;
    },
    async add(more) {
      for (const what of counted) used[what] += more[what];
      if (keep === undefined) return;
      await Promise.all(counted.flatMap((what) => (more[what] === 0 ? [] : [keep(what, more[what])])));
    },
  };
}

/** A ledger with its limits. */
export interface Account {
  /** For messages: `The app demo today`. */
  readonly name: string;
  readonly limits: Partial<Used>;
  readonly ledger: Ledger;
}

/** The first limit that is exceeded. */
export function passedLimit({ limits, ledger }: Account): Counted | undefined {
  return counted.find((what) => {
    const most = limits[what];
    return most !== undefined && ledger.taken(what) > most;
  });
}
