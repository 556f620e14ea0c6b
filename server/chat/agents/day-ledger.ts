import type { StateService } from '#engine';
import { type Counted, counted, type Ledger, type Limits, type Passed, type Used } from './ledger.ts';

interface Deps {
  readonly state: Pick<StateService, 'get' | 'add'>;
  readonly warn: (message: string) => void;
}

/** Not a valid flow id, so that no flow can change the counts. */
const SCOPE = '#agents';
const KEPT_MS = 2 * 24 * 3_600_000;

/** The part of the remainder that a server takes at once, so that it can grant calls without asking again. */
const PORTION = 0.05;
/** Amounts that are estimated before a call; the cost is not. */
const FORESEEN = ['tokens', 'steps'] as const;
/** How long a server keeps an unused portion, in milliseconds. */
const PORTION_MS = 1000;

/**
 * The usage under one name in a day, by all servers that share the state. The state holds a sum for each amount, to
 * which every server adds a portion before it uses any of it.
 * DL1. Servers together never reserve more tokens and calls than the limit. The cost is known only at the end of a
 *      call, so a call starts as long as some of it is left.
 * DL2. A portion is a twentieth of the remainder, and at least the amount that the call needs. The unused part is given
 *      back after a second; that of a dead server counts as used.
 * DL3. Without the state nothing is granted beyond the portions.
 */
export class DayLedger implements Ledger {
  private readonly id: string;
  private readonly deps: Deps;
  /** The usage of this server, the estimates of its calls in progress, and its additions to the sums. */
  private readonly own = zero();
  private readonly reserved = zero();
  private readonly granted = zero();
  /** The sums as this server last saw them. */
  private readonly sums = zero();
  /** One request at a time: a caller that comes meanwhile may find enough in the portion. */
  private asking: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  /** `id` names the day and the owner of the ledger. */
  constructor(id: string, deps: Deps) {
    this.id = id;
    this.deps = deps;
  }

  used(what: Counted): number {
    return this.sums[what] - this.unused(what) - this.reserved[what];
  }

  take(more: Limits, limits: Limits): Passed | Promise<Passed> {
    if (this.isGranted(more, limits)) return this.reserve(more);
    return this.after(async () => (await this.fill(more, limits)) ?? this.reserve(more));
  }

  grow(more: Limits, limits: Limits): Passed | Promise<Passed> {
    this.reserve(more);
    // The cost has no estimate, but calls that have ended meanwhile may have used all of it.
    if (limits.cost !== undefined && this.sums.cost > limits.cost) return 'cost';
    const growing = Object.fromEntries(Object.keys(more).map((what) => [what, limits[what as Counted]]));
    if (this.isGranted({}, growing)) return undefined;
    return this.after(() => this.fill({}, growing));
  }

  release(less: Limits): void {
    for (const what of counted) this.reserved[what] -= less[what] ?? 0;
  }

  async add(more: Used): Promise<void> {
    for (const what of counted) this.own[what] += more[what];
    await this.settle((what) => Math.max(0, -this.unused(what)));
  }

  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.settle((what) => Math.min(0, -this.unused(what)));
  }

  private reserve(more: Limits): undefined {
    for (const what of counted) this.reserved[what] += more[what] ?? 0;
  }

  private after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.asking.then(work);
    this.asking = done.catch(() => {});
    return done;
  }

  private isGranted(more: Limits, limits: Limits): boolean {
    return !counted.some((what) => limits[what] !== undefined && this.isShort(what, more));
  }

  private isShort(what: Counted, more: Limits): boolean {
    const missing = (more[what] ?? 0) - this.unused(what);
    return what === 'cost' ? missing >= 0 : missing > 0;
  }

  /** Takes portions until there is enough. */
  private async fill(more: Limits, limits: Limits): Promise<Passed> {
    if (limits.cost !== undefined && this.isShort('cost', more) && !(await this.ask('cost', 0, limits.cost)))
      return 'cost';
    for (;;) {
      // A call that found enough in the portion may have come in between.
      const what = FORESEEN.find((one) => limits[one] !== undefined && this.isShort(one, more));
      if (what === undefined) return undefined;
      if (!(await this.ask(what, more[what] ?? 0, limits[what] as number))) return what;
    }
  }

  /** The amount that this server was granted, and has neither used nor reserved. */
  private unused(what: Counted): number {
    return this.granted[what] - this.own[what] - this.reserved[what];
  }

  /** Takes a portion; false if less is left than is needed. */
  private async ask(what: Counted, more: number, limit: number): Promise<boolean> {
    const kept = await this.deps.state.get(SCOPE, this.keyOf(what));
    this.sums[what] = typeof kept === 'number' ? kept : 0;
    const left = limit - this.sums[what];
    const need = more - this.unused(what);
    if (left < need) return false;
    const portion = what === 'cost' ? left * PORTION : Math.floor(left * PORTION);
    const taken = Math.max(need, portion);
    const sum = await this.change(what, taken);
    // Other servers may have taken some of it meanwhile.
    if (sum > limit) await this.change(what, -Math.min(sum - limit, taken));
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.settle((what) => Math.min(0, -this.unused(what)));
    }, PORTION_MS).unref();
    return more <= this.unused(what);
  }

  /** Changes the sums to the usage of this server. */
  private settle(by: (what: Counted) => number): Promise<void> {
    return this.after(async () => {
      try {
        await Promise.all(counted.map((what) => this.change(what, by(what))));
      } catch (error) {
        this.deps.warn(`The usage of agents could not be stored: ${(error as Error).message}`);
      }
    });
  }

  /** Changes the sum by a granted or returned amount. Returns the new sum. */
  private async change(what: Counted, by: number): Promise<number> {
    if (by === 0) return this.sums[what];
    // An amount to be returned may not be used, and nothing is granted before it counts.
    if (by < 0) this.granted[what] += by;
    try {
      this.sums[what] = await this.deps.state.add(SCOPE, this.keyOf(what), by, { ttlMs: KEPT_MS });
    } catch (error) {
      if (by < 0) this.granted[what] -= by;
      throw error;
    }
    if (by > 0) this.granted[what] += by;
    return this.sums[what];
  }

  private keyOf(what: Counted): string {
    return `${what}:${this.id}`;
  }
}

function zero(): { tokens: number; cost: number; steps: number } {
  return { tokens: 0, cost: 0, steps: 0 };
}
