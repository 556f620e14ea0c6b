import { setTimeout as sleep } from 'node:timers/promises';
import type { RunClaim } from '#engine';
import { type Moment, sinceMoment, thisMoment } from '../postgres/leases.ts';
import type { Claim, SharedRows } from '../postgres/shared-rows.ts';
import type { LivePass } from './live-pass.ts';

/** How often this process notes that it is awake, and how long it may have stood still without asking, in milliseconds. */
export const BEAT_MS = 1000;
const STILL_MS = 3000;
/** The delay before an unclear answer is asked for again, in milliseconds. */
const AGAIN_MS = 200;
/** The row has the number of an attempt that begins here before this process knows it, so it is looked for this many times. */
const LOOKS = 5;

interface Deps {
  readonly rows: Pick<SharedRows, 'find'>;
  /** The last claim of the run here, if this is its pass. */
  readonly claimOf: (run: string, live: LivePass) => Claim | undefined;
  /** Another attempt has the run, elsewhere. */
  readonly lost: (run: string, live: LivePass) => void;
  readonly isClosing: () => boolean;
}

/**
 * The knowledge of this process that its passes are still its own. Restate turns to another server while this one stands still, and
 * nobody is told.
 * RSC1. After this process stood still, a pass sends nothing before the run's row has told that its claim is the last one.
 */
export class RunClaims {
  private readonly deps: Deps;
  private awakeAt: Moment = thisMoment();
  /** Passes that have not asked since this process stood still. */
  private readonly doubted = new WeakSet<LivePass>();
  private readonly known = new Set<LivePass>();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Call it every `BEAT_MS`. */
  beat(): void {
    if (this.stoodStill) for (const live of this.known) this.doubted.add(live);
    this.awakeAt = thisMoment();
  }

  of(run: string, live: LivePass): RunClaim {
    this.known.add(live);
    return {
      isFresh: () =>
        !this.stoodStill && !this.doubted.has(live) && this.deps.claimOf(run, live) !== undefined,
      prove: () => this.prove(run, live),
    };
  }

  /** The pass is over. */
  forget(live: LivePass): void {
    this.known.delete(live);
  }

  private get stoodStill(): boolean {
    return sinceMoment(this.awakeAt) > STILL_MS;
  }

  /** Waits for an unreachable database. */
  private async prove(run: string, live: LivePass): Promise<void> {
    this.beat();
    for (let look = 0; look < LOOKS; ) {
      const last = await this.lastClaim(run);
      const own = this.deps.claimOf(run, live);
      if (own === undefined) break;
      if (last === own.attempt) {
        this.doubted.delete(live);
        return;
      }
      if (last !== undefined) look++;
      await sleep(AGAIN_MS, undefined, { ref: false });
    }
    this.deps.lost(run, live);
    throw new Error(`The run ${run} is executed elsewhere.`);
  }

  /** Undefined if the database does not answer. A run without a row has no claim. */
  private async lastClaim(run: string): Promise<number | undefined> {
    try {
      const found = await this.deps.rows.find(run);
      return found === undefined || found.stored.endedAt !== undefined ? -1 : found.attempt;
    } catch (error) {
      if (this.deps.isClosing()) throw error;
      return undefined;
    }
  }
}
