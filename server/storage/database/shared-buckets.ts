import { createHash } from 'node:crypto';
import {
  type AnyBuckets,
  createBuckets,
  type Rate,
  type SharedBuckets,
  type Taken,
} from '../../base/rates/buckets.ts';
import { DEFAULT_PROJECT, type Sql } from './sql.ts';

/** The share of the remaining calls that a server reserves at once, to grant them without asking again. */
const PORTION = 0.05;
/** How long it keeps calls that it does not grant, in milliseconds. */
const PORTION_MS = 1000;
/** How often full buckets, which carry no information, are deleted, in milliseconds. */
const SWEEP_MS = 60_000;
/** How many times a bucket is tried again that another server has changed meanwhile. */
const ATTEMPTS = 50;
/** The most buckets that a server remembers; the one that was asked longest ago is forgotten first. */
const MOST = 10_000;

const READ = 'SELECT full_at FROM rate_bucket WHERE project = ? AND name = ?';
const MAKE =
  'INSERT INTO rate_bucket (project, name, full_at) VALUES (?, ?, ?) ON CONFLICT (project, name) DO NOTHING';
const TAKE = 'UPDATE rate_bucket SET full_at = ? WHERE project = ? AND name = ? AND full_at = ?';
const GIVE_BACK = 'UPDATE rate_bucket SET full_at = full_at - ? WHERE project = ? AND name = ?';
const SWEEP = 'DELETE FROM rate_bucket WHERE project = ? AND full_at < ?';

interface Deps {
  readonly sql: Sql;
  /** Unix milliseconds, by a clock that all servers share. */
  readonly now: () => number;
  readonly warn: (err: unknown, message: string) => void;
  readonly project?: string;
}

/** This server's share of a bucket. */
interface Portion {
  /** Milliseconds until the bucket regains one call. */
  readonly cost: number;
  /** Reserved from the bucket, and not granted yet. */
  calls: number;
  takenAt: number;
  /** The bucket's last state: the calls left, when it is full, and until when it has none. */
  left: number;
  fullAt: number;
  emptyUntil: number;
  /** Future turns that were given back, the earliest first. */
  readonly free: number[];
  /** The last query to the database. */
  asking: Promise<unknown>;
}

/**
 * Buckets from which all servers of a database grant calls: rows with the time at which each is full again, as in `Buckets`.
 * SB1. A server reserves a twentieth of the remaining calls, at least one, and grants them from its memory. Calls not granted after a
 *      second go back, so what all of them grant together is what one bucket would, give or take that second.
 * SB2. An empty bucket is not asked again before it has a call.
 * SB3. Without the database each server counts for itself: a limit is no reason to refuse what works.
 */
export function createSharedBuckets(deps: Deps): SharedBuckets & { close(): void } {
  return new BucketRows({ project: DEFAULT_PROJECT, ...deps });
}

class BucketRows implements SharedBuckets {
  private readonly deps: Required<Deps>;
  private readonly portions = new Map<string, Portion>();
  private readonly timer: NodeJS.Timeout;
  private sweptAt: number;
  private isFailing = false;

  constructor(deps: Required<Deps>) {
    this.deps = deps;
    this.sweptAt = deps.now();
    this.timer = setInterval(() => this.tidy(), PORTION_MS).unref();
  }

  of(group: string, rate: Rate): AnyBuckets {
    const nameOf = (name: string): string =>
      createHash('sha256')
        .update(JSON.stringify([group, name, rate]))
        .digest('base64');
    const alone = createBuckets(rate, this.deps.now);
    return {
      take: (caller, mayWaitMs = 0) => {
        const name = nameOf(caller);
        const portion = this.portionOf(name, rate);
        const taken = this.known(portion, mayWaitMs);
        if (taken !== undefined) return taken;
        // One query at a time: a call that arrives meanwhile may be served from its result.
        const asked = portion.asking
          .then(() => this.known(portion, mayWaitMs) ?? this.ask(name, portion, rate, mayWaitMs))
          .catch((error: unknown) => {
            this.failed(error);
            return alone.take(caller, mayWaitMs);
          });
        portion.asking = asked;
        return asked;
      },
      giveBack: (caller, inMs) => {
        if (inMs <= 0) return;
        const { free } = this.portionOf(nameOf(caller), rate);
        free.push(this.deps.now() + inMs);
        free.sort((a, b) => a - b);
      },
    };
  }

  close(): void {
    clearInterval(this.timer);
  }

  private portionOf(name: string, rate: Rate): Portion {
    const { portions } = this;
    const portion = portions.get(name) ?? newPortion(rate);
    portions.delete(name);
    portions.set(name, portion);
    const [oldest] = portions.keys();
    if (portions.size > MOST && oldest !== undefined) portions.delete(oldest);
    return portion;
  }

  private tidy(): void {
    const { sql, now, project } = this.deps;
    const at = now();
    const failed = (error: unknown): void => this.failed(error);
    for (const [name, portion] of this.portions) {
      if (portion.calls === 0 || portion.takenAt > at - PORTION_MS) continue;
      const unused = portion.calls * portion.cost;
      portion.calls = 0;
      sql.run(GIVE_BACK, unused, project, name).catch(failed);
    }
    if (at - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = at;
    sql.run(SWEEP, project, at).catch(failed);
  }

  private failed(error: unknown): void {
    const { warn } = this.deps;
    if (!this.isFailing)
      warn(error, 'limits on calls are counted by this server alone until the database answers');
    this.isFailing = true;
  }

  /** The answer of this server without asking the database. */
  private known(portion: Portion, mayWaitMs: number): Taken | undefined {
    const at = this.deps.now();
    while ((portion.free[0] ?? at) < at) portion.free.shift();
    const [free] = portion.free;
    if (free !== undefined && free <= at + mayWaitMs) {
      portion.free.shift();
      return takenFrom(portion, at, true, free - at);
    }
    if (portion.calls > 0) {
      portion.calls--;
      return takenFrom(portion, at, true, 0);
    }
    const emptyMs = portion.emptyUntil - at - mayWaitMs;
    return emptyMs > 0 ? takenFrom(portion, at, false, emptyMs) : undefined;
  }

  private async ask(name: string, portion: Portion, rate: Rate, mayWaitMs: number): Promise<Taken> {
    const { sql, now, project } = this.deps;
    const { cost } = portion;
    const capacity = rate.burst * cost;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const row = await sql.first<{ readonly full_at: number }>(READ, project, name);
      const at = now();
      const full = Math.max(row?.full_at ?? 0, at);
      // A rounding error does not count as a call.
      const left = Math.floor((at + capacity - full) / cost + 1e-6);
      const turn = left < 1 ? full + cost - capacity : at;
      portion.fullAt = full;
      if (turn > at + mayWaitMs) {
        Object.assign(portion, { left: 0, emptyUntil: turn });
        return takenFrom(portion, at, false, turn - at - mayWaitMs);
      }
      const taken = Math.max(1, Math.floor(left * PORTION));
      const next = full + taken * cost;
      const changed = await (row === undefined
        ? sql.run(MAKE, project, name, next)
        : sql.run(TAKE, next, project, name, row.full_at));
      if (changed === 0) continue;
      this.isFailing = false;
      Object.assign(portion, {
        fullAt: next,
        left: Math.max(0, left - taken),
        calls: taken - 1,
        takenAt: at,
      });
      return takenFrom(portion, at, true, turn - at);
    }
    throw new Error('A bucket of calls was changed by others again and again.');
  }
}

function newPortion({ count, perMs }: Rate): Portion {
  const asking = Promise.resolve();
  return { cost: perMs / count, calls: 0, takenAt: 0, left: 0, fullAt: 0, emptyUntil: 0, free: [], asking };
}

function takenFrom({ left, calls, fullAt }: Portion, at: number, granted: boolean, waitMs: number): Taken {
  const fullMs = Math.max(0, Math.ceil(fullAt - at));
  return { granted, waitMs: Math.ceil(waitMs), left: granted ? left + calls : 0, fullMs };
}
