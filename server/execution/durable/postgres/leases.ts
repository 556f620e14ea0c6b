import { setTimeout as sleep } from 'node:timers/promises';
import type { Claimed, Workflows } from './workflows.ts';

/** The delay before a claim is requested again after an unclear answer of the database, in milliseconds. */
const AGAIN_MS = 200;

/** Something is sent only if its claim was renewed within this part of a lease: the rest is for its way outside. */
const FRESH = 2 / 3;

/** The part of a lease after which a claim is renewed; a younger claim is not. */
const YOUNG = 1 / 4;
/** The number of checks for due claims in one lease: no claim is older than a third of it when it is renewed. */
const TIMES_A_LEASE = 12;

/**
 * A moment of this process, by two clocks: the steady one cannot be set but may stand still while the machine sleeps, the other one
 * goes on then.
 */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

/** The present, by both clocks. */
export function thisMoment(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

/** By the clock that went further, in milliseconds. One that was set forward costs a renewal, and nothing else. */
export function sinceMoment({ steady, wall }: Moment): number {
  return Math.max(performance.now() - steady, Date.now() - wall);
}

/** A claim of this process. */
export interface Leased extends Claimed {
  /** Another process may have it: nothing more is done under it. */
  isLost: boolean;
  /** A moment before the claim was last made or renewed. */
  provenAt: Moment;
  isRenewing: boolean;
}

interface Deps {
  readonly workflows: Pick<Workflows, 'leaseMs' | 'renew'>;
  readonly isClosed: () => boolean;
  /** Another process has the claim. */
  readonly lost: (leased: Leased) => void;
  /** The database could not be reached. */
  readonly failed: (error: unknown) => void;
}

/**
 * The knowledge of this process that it still has its claims.
 * LS1. Claims are renewed individually, so that a dead connection costs no other run its claim.
 * LS2. A step begins, and sends what it sends, only under a claim that was made or renewed recently: a process that was suspended
 *      checks first, and the machine's sleep counts.
 */
export class Leases {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** How often `renew` is to be called, in milliseconds. */
  get everyMs(): number {
    return this.deps.workflows.leaseMs / TIMES_A_LEASE;
  }

  /** Renews the claims that are due. */
  renew(all: Iterable<Leased>): void {
    const isYoung = ({ provenAt }: Leased): boolean =>
      sinceMoment(provenAt) < YOUNG * this.deps.workflows.leaseMs;
    for (const leased of all) {
      if (leased.isLost || leased.isRenewing || isYoung(leased)) continue;
      leased.isRenewing = true;
      void this.renewOne(leased)
        .catch(this.deps.failed)
        .finally(() => (leased.isRenewing = false));
    }
  }

  /** Whether the claim is known to hold at this moment. */
  isFresh({ isLost, provenAt }: Leased): boolean {
    return !isLost && sinceMoment(provenAt) <= FRESH * this.deps.workflows.leaseMs;
  }

  /** Rejects if another process has the claim. Waits for an unreachable database. */
  async prove(leased: Leased): Promise<void> {
    while (!leased.isLost && !this.isFresh(leased)) {
      try {
        await this.renewOne(leased);
      } catch (error) {
        if (this.deps.isClosed()) throw error;
        this.deps.failed(error);
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
    if (leased.isLost) throw new Error(`The run ${leased.run} is executed elsewhere.`);
  }

  private async renewOne(leased: Leased): Promise<void> {
    const at = thisMoment();
    if (await this.deps.workflows.renew(leased)) leased.provenAt = at;
    else this.deps.lost(leased);
  }
}
