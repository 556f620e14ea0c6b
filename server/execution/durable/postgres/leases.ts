import { setTimeout as sleep } from 'node:timers/promises';
import type { Claimed, Workflows } from './workflows.ts';

/** The delay before a claim is requested again after an unclear answer of the database, in milliseconds. */
const AGAIN_MS = 200;

/** A step begins only if its claim was renewed within this part of a lease: the rest is for its way outside. */
const FRESH = 2 / 3;

/** The part of a lease after which a claim is renewed; a younger claim is not. */
const YOUNG = 1 / 4;
/** The number of checks for due claims in one lease: no claim is older than a third of it when it is renewed. */
const TIMES_A_LEASE = 12;

/** A claim of this process. */
export interface Leased extends Claimed {
  /** Another process may have it: nothing more is done under it. */
  isLost: boolean;
  /** A time before the claim was last made or renewed, by this process's own clock. */
  provenAt: number;
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
 * LS2. A step begins only under a claim that was made or renewed recently: a process that was suspended checks first.
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
      performance.now() - provenAt < YOUNG * this.deps.workflows.leaseMs;
    for (const leased of all) {
      if (leased.isLost || leased.isRenewing || isYoung(leased)) continue;
      leased.isRenewing = true;
      void this.renewOne(leased)
        .catch(this.deps.failed)
        .finally(() => (leased.isRenewing = false));
    }
  }

  /** Rejects if another process has the claim. Waits for an unreachable database. */
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
