/** `count` in each `perMs` milliseconds on average, and `burst` at once. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
  readonly burst: number;
}

/** The result for a call. */
export interface Taken {
  readonly granted: boolean;
  /** If granted: the time to its turn, which is 0 unless it may wait. Otherwise: the time until a call like it would be granted. */
  readonly waitMs: number;
  /** How many more would be granted now. */
  readonly left: number;
  /** Milliseconds until the bucket is full again. */
  readonly fullMs: number;
}

/**
 * A token bucket for each name.
 * TB1. In any period no more is granted than the bucket held at its start plus the inflow during it. A turn that is
 *      waited for is rounded up to a whole millisecond, so two of them may be nearer by one.
 * TB2. At most `most` names are known. The least recently used one is forgotten first, which only restores its
 *      whole burst.
 * TB3. A clock that is set back stands still for that moment, so no call waits longer for it.
 */
export interface Buckets {
  /** Takes a call from the bucket of `name`; with `mayWaitMs` it gets a later turn if none is left now. */
  take(name: string, mayWaitMs?: number): Taken;
  /** Returns an unused later turn, for the next call. */
  giveBack(name: string, inMs: number): void;
  readonly size: number;
}

/** Buckets of one server, or those that it shares with others, for which it may have to wait. */
export interface AnyBuckets extends Pick<Buckets, 'giveBack'> {
  take(name: string, mayWaitMs?: number): Taken | Promise<Taken>;
}

/** Buckets that several servers share. */
export interface SharedBuckets {
  /** Those of a group, such as a trigger. With another rate they start full again. */
  of(group: string, rate: Rate): AnyBuckets;
}

/**
 * The state of a bucket is one number: the time at which it is full again. Times are counted in units of `1 / count`
 * milliseconds since the first call, so that all of them are whole numbers.
 */
interface Bucket {
  full: number;
  /** Turns in the future that were given back, the earliest first. */
  free: number[] | undefined;
}

/** Buckets in memory, all with one rate. `now` is in Unix milliseconds; see TB2 for `most`. */
export function createBuckets(rate: Rate, now: () => number, most = 10_000): Buckets {
  const { count, perMs, burst } = rate;
  const capacity = burst * perMs;
  const buckets = new Map<string, Bucket>();
  let last = now();
  let elapsed = 0;

  function clock(): number {
    const at = now();
    elapsed += Math.max(0, at - last);
    last = at;
    return elapsed * count;
  }

  const inMs = (units: number): number => Math.max(0, Math.ceil(units / count));

  function bucketOf(name: string): Bucket {
    const bucket = buckets.get(name) ?? { full: 0, free: undefined };
    buckets.delete(name);
    buckets.set(name, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > most && oldest !== undefined) buckets.delete(oldest);
    return bucket;
  }

  /** The earliest returned turn that can still be kept. */
  function freeTurn(bucket: Bucket, at: number): number | undefined {
    while (bucket.free !== undefined && (bucket.free[0] ?? at) < at) bucket.free.shift();
    return bucket.free?.[0];
  }

  function takenFrom(bucket: Bucket, at: number, granted: boolean, turn: number): Taken {
    const full = Math.max(bucket.full, at);
    const left = Math.max(0, Math.floor((at + capacity - full) / perMs));
    return { granted, waitMs: inMs(turn - at), left, fullMs: inMs(full - at) };
  }

  return {
    take(name, mayWaitMs = 0) {
      const at = clock();
      const bucket = bucketOf(name);
      const latest = at + mayWaitMs * count;
      const free = freeTurn(bucket, at);
      if (free !== undefined && free <= latest) {
        bucket.free?.shift();
        return takenFrom(bucket, at, true, free);
      }
      const full = Math.max(bucket.full, at) + perMs;
      const turn = full - capacity;
      if (turn > latest)
        return takenFrom(bucket, at, false, Math.min(turn, free ?? turn) - mayWaitMs * count);
      bucket.full = full;
      return takenFrom(bucket, at, true, Math.max(turn, at));
    },
    giveBack(name, waitMs) {
      const bucket = buckets.get(name);
      if (bucket === undefined || waitMs <= 0) return;
      const turn = clock() + waitMs * count;
      const at = (bucket.free ??= []).findIndex((other) => other > turn);
      bucket.free.splice(at === -1 ? bucket.free.length : at, 0, turn);
    },
    get size() {
      return buckets.size;
    },
  };
}
