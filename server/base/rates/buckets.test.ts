import { describe, expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { createBuckets, type Rate } from './buckets.ts';

const rates = fc.record<Rate>({
  count: fc.integer({ min: 1, max: 50 }),
  perMs: fc.constantFrom(1, 7, 100, 1000, 60_000),
  burst: fc.integer({ min: 1, max: 20 }),
});

/** A bucket by its definition: it holds at most `burst`, and `count` flow in evenly in `perMs`. In 1/perMs of a call. */
class PlainBucket {
  private readonly rate: Rate;
  private level: number;

  private readonly capacity: number;

  /** `spare`: calls held beyond `burst`. */
  constructor(rate: Rate, spare = 0) {
    this.rate = rate;
    this.capacity = rate.burst * rate.perMs + spare;
    this.level = this.capacity;
  }

  pass(ms: number): void {
    this.level = Math.min(this.capacity, this.level + ms * this.rate.count);
  }

  /** Whether one is left, and how long until one is. */
  take(): { granted: boolean; waitMs: number; left: number } {
    const { count, perMs } = this.rate;
    const granted = this.level >= perMs;
    const waitMs = granted ? 0 : Math.ceil((perMs - this.level) / count);
    if (granted) this.level -= perMs;
    return { granted, waitMs, left: Math.floor(this.level / perMs) };
  }
}

describe('buckets', () => {
  test('grant what a plain bucket for each name grants, and say when the next is granted', () => {
    const steps = fc.array(
      fc.record({ ms: fc.integer({ min: 0, max: 500 }), name: fc.constantFrom('a', 'b', 'c') }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(rates, steps, (rate, all) => {
        let time = 1_767_225_600_000;
        const buckets = createBuckets(rate, () => time);
        const plain = new Map(['a', 'b', 'c'].map((name) => [name, new PlainBucket(rate)]));
        for (const { ms, name } of all) {
          time += ms;
          for (const bucket of plain.values()) bucket.pass(ms);
          const { granted, waitMs, left } = buckets.take(name);
          expect({ granted, waitMs, left }).toEqual(plain.get(name)?.take());
        }
      }),
      { numRuns: 300 },
    );
  });

  test('turns that are waited for, and given back, never come faster than the rate allows', () => {
    const steps = fc.array(
      fc.record({
        ms: fc.integer({ min: 0, max: 300 }),
        mayWait: fc.constantFrom(0, 50, 1000, 100_000),
        leaves: fc.boolean(),
      }),
      { maxLength: 150 },
    );
    fc.assert(
      fc.property(rates, steps, (rate, all) => {
        let time = 0;
        const buckets = createBuckets(rate, () => time);
        const turns: number[] = [];
        for (const { ms, mayWait, leaves } of all) {
          time += ms;
          const { granted, waitMs } = buckets.take('a', mayWait);
          if (!granted) continue;
          expect(waitMs).toBeLessThanOrEqual(mayWait);
          if (leaves && waitMs > 0) buckets.giveBack('a', waitMs);
          else turns.push(time + waitMs);
        }
        // Turns are reported in whole milliseconds: two of them may be nearer by the inflow of one.
        const bucket = new PlainBucket(rate, rate.count);
        let at = 0;
        for (const turn of turns.sort((a, b) => a - b)) {
          bucket.pass(turn - at);
          at = turn;
          expect(bucket.take().granted).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a waiting call gets the next turn, and a returned turn goes to the next call', () => {
    const time = 0;
    const buckets = createBuckets({ count: 1, perMs: 1000, burst: 1 }, () => time);
    const waits = (): number => buckets.take('a', 10_000).waitMs;
    expect([waits(), waits(), waits(), waits()]).toEqual([0, 1000, 2000, 3000]);
    buckets.giveBack('a', 1000);
    expect([waits(), waits()]).toEqual([1000, 4000]);
    expect(buckets.take('a', 4000)).toMatchObject({ granted: false, waitMs: 1000 });
  });

  test('are no more than they may be, however many names come', () => {
    const buckets = createBuckets({ count: 1, perMs: 60_000, burst: 2 }, () => 0, 100);
    for (let i = 0; i < 1000; i++) buckets.take(`stranger ${i}`);
    expect(buckets.size).toBe(100);
    expect(buckets.take('stranger 999').left).toBe(0);
    expect(buckets.take('stranger 0').left).toBe(1);
  });

  test('a clock that is set back makes no call wait for the time that it went back', () => {
    let time = 10_000_000;
    const buckets = createBuckets({ count: 1, perMs: 1000, burst: 1 }, () => time);
    buckets.take('a');
    time -= 5_000_000;
    expect(buckets.take('a')).toMatchObject({ granted: false, waitMs: 1000 });
    time += 1000;
    expect(buckets.take('a')).toMatchObject({ granted: true });
  });
});
