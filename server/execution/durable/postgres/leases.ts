import { setTimeout as sleep } from 'node:timers/promises';
import type { Claimed, Workflows } from './workflows.ts';

/** Before a claim of which the database said nothing is asked for again, in milliseconds. */
const AGAIN_MS = 200;

/** The part of a lease within which a claim must have been renewed for a step to begin: the rest is for its way outside. */
const FRESH = 2 / 3;

/** The part of a lease after which a claim is renewed: one that has just been made is not. */
const YOUNG = 1 / 4;
/** How often in a lease claims that are due are looked for: so none is older than a third of it when it is renewed. */
const TIMES_A_LEASE = 12;

/** A claim of this process. */
export interface Leased extends Claimed {
  /** Somebody else may have it, or has it: nothing more is done under it. */
  isLost: boolean;
  /** Before when it was made or renewed last, by this process's own clock. */
  provenAt: number;
  isRenewing: boolean;
}

interface Deps {
  readonly workflows: Pick<Workflows, 'leaseMs' | 'renew'>;
  readonly isClosed: () => boolean;
  /** Somebody else has the claim. */
  readonly lost: (leased: Leased) => void;
  /** The database could not be asked. */
  readonly failed: (error: unknown) => void;
}

/**
 * How this process knows that it has its claims.
 * LS1. Claims are renewed each for itself, so that a connection that has died costs no other run its claim.
 * LS2. A step begins only under a claim that was made or renewed lately: a process that stood still asks first.
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

  /** Those that are due. */
  renew(all: Iterable<Leased>): void {
    const isYoung = ({ provenAt }: Leased): boolean =>
      performance.now() - provenAt < YOUNG * this.deps.workflows.leaseMs;
    for (const leased of all) {
      if (leased.isLost || leased.isRenewing || isYoung(leased)) continue;
      leased.isRenewing = true;
      void this.renewOne(leased)
        .catch(this.deps.failed)
        .finally(() => (leased.isRenewing = false));
    }
  }

  /** Rejects if somebody else has the claim. Waits for a database that is away. */
  async prove(leased: Leased, key: string): Promise<void> {
    while (!leased.isLost && performance.now() - leased.provenAt > FRESH * this.deps.workflows.leaseMs) {
      try {
        await this.renewOne(leased);
      } catch (error) {
        if (this.deps.isClosed()) throw error;
        this.deps.failed(error);
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
    if (leased.isLost) throw new Error(`The run of step ${key} is executed elsewhere.`);
  }

  private async renewOne(leased: Leased): Promise<void> {
    const at = performance.now();
    if (await this.deps.workflows.renew(leased)) leased.provenAt = at;
    else this.deps.lost(leased);
  }
}
