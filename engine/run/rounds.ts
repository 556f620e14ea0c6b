import type { RunStatus } from '#shared/run-event.ts';
import type { Outcome, Run } from './state.ts';

/** How many of the first, of the failed and of the slowest rounds are kept whole. */
const FIRST = 20;
const FAILED = 20;
const SLOWEST = 5;

/** One time that a body ran. */
export interface Round {
  readonly round: number;
  readonly part: Run;
}

/** The times that the body of a step ran: all are counted, some are kept whole. */
export class Rounds {
  count = 0;
  failed = 0;
  private readonly first: Round[] = [];
  private readonly failures: Round[] = [];
  /** The slowest last. */
  private slowest: (Round & { readonly ms: number })[] = [];

  add(round: number, part: Run): void {
    this.count++;
    if (this.first.length < FIRST) this.first.push({ round, part });
    part.onEnd((outcome) => this.ended({ round, part }, outcome));
  }

  /** Those that are kept, in order. */
  get kept(): readonly Round[] {
    const all = new Map([...this.first, ...this.failures, ...this.slowest].map((one) => [one.part, one]));
    return [...all.values()].sort((a, b) => a.round - b.round);
  }

  private ended(round: Round, { status, ms }: Outcome): void {
    if (isFailure(status)) {
      this.failed++;
      if (this.failures.length < FAILED) this.failures.push(round);
    }
    const quickest = this.slowest[0];
    if (this.slowest.length === SLOWEST && quickest !== undefined && ms <= quickest.ms) return;
    this.slowest = [...this.slowest, { ...round, ms }].sort((a, b) => a.ms - b.ms).slice(-SLOWEST);
  }
}

function isFailure(status: RunStatus): boolean {
  return status !== 'ok';
}
