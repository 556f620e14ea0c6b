/** The counted amounts. `cost` is in the currency of the models' prices. */
export interface Used {
  readonly tokens: number;
  readonly cost: number;
  readonly steps: number;
}

export type Counted = keyof Used;

export const counted: readonly Counted[] = ['tokens', 'cost', 'steps'];

export type Limits = Partial<Used>;

/** The exceeded limit; undefined if there is none. */
export type Passed = Counted | undefined;

/**
 * The usage, and the estimated use of calls in progress. Several answers may share a ledger.
 * AL1. Reserved amounts count as used, so that simultaneous calls cannot spend the same remainder.
 */
export interface Ledger {
  used(what: Counted): number;
  /** Reserves the amounts that a call is about to use, unless that exceeds a limit. Rejects with `storage_failed`. */
  take(more: Limits, limits: Limits): Passed | Promise<Passed>;
  /** Reserves the amounts that a call uses in any case; returns the exceeded limit. Rejects with `storage_failed`. */
  grow(more: Limits, limits: Limits): Passed | Promise<Passed>;
  /** Gives reserved amounts back. */
  release(less: Limits): void;
  add(more: Used): Promise<void>;
}

/** A ledger in memory. */
export interface OwnLedger extends Ledger {
  /** The used and reserved amount. */
  taken(what: Counted): number;
}

export function createLedger(): OwnLedger {
  const used = { tokens: 0, cost: 0, steps: 0 };
  const reserved = { tokens: 0, cost: 0, steps: 0 };
  const taken = (what: Counted): number => used[what] + reserved[what];

  function release(less: Limits): void {
    for (const what of counted) reserved[what] -= less[what] ?? 0;
  }

  function grow(more: Limits, limits: Limits): Passed {
    for (const what of counted) reserved[what] += more[what] ?? 0;
    return counted.find((what) => taken(what) > (limits[what] ?? Number.POSITIVE_INFINITY));
  }

  return {
    used: (what) => used[what],
    taken,
    grow,
    release,
    take(more, limits) {
      const passed = grow(more, limits);
      if (passed !== undefined) release(more);
      return passed;
    },
    async add(more) {
      for (const what of counted) used[what] += more[what];
    },
  };
}

/** A ledger with its limits. */
export interface Account {
  /** The name in messages: `The app demo today`. */
  readonly name: string;
  readonly limits: Limits;
  readonly ledger: Ledger;
}
