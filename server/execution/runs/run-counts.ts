import type { Outcome, Run } from '#engine';

/** Upper bounds of the buckets of run durations, in milliseconds. */
export const BUCKETS = [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000, 300_000] as const;

/** Durations of ended runs. */
export interface TimeCounts {
  /** Runs by bucket, each counted once: in the first bucket that it fits into, or in an extra one after the last. */
  readonly buckets: number[];
  count: number;
  sumMs: number;
}

/**
 * The most separately named flows, operators and models; the others share one name, because each name is a series that
 * a metrics collector stores.
 */
export const MAX_NAMES = 100;
export const OTHER = 'other';

/**
 * The metrics of ended runs, by flow.
 * RC1. The first `MAX_NAMES` names are counted separately and stay so: a count that changed its name would seem to
 *      fall.
 * RC2. A run costs one look-up by its flow's id; nodes are examined only if one failed.
 */
export class RunCounts {
  readonly flows = new Map<string, TimeCounts>();
  /** Nodes that failed, handled or not, by operator. */
  readonly failures = new Map<string, number>();

  took(run: Run, { ms, nodes }: Outcome): void {
    const counts = this.flows.get(run.flow) ?? this.newFlow(run.flow);
    counts.count++;
    counts.sumMs += ms;
    let at = 0;
    while (at < BUCKETS.length && ms > (BUCKETS[at] as number)) at++;
    (counts.buckets[at] as number)++;
    if (nodes.failed > 0 && run.errors !== undefined)
      for (const { operator = 'unknown' } of run.errors.values()) this.failed(operator);
  }

  private newFlow(flow: string): TimeCounts {
    const name = this.flows.size < MAX_NAMES ? flow : OTHER;
    const counts = this.flows.get(name) ?? { buckets: [...BUCKETS, 0].fill(0), count: 0, sumMs: 0 };
    this.flows.set(name, counts);
    return counts;
  }

  private failed(operator: string): void {
    const known = this.failures.has(operator) || this.failures.size < MAX_NAMES;
    const name = known ? operator : OTHER;
    this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
  }
}
