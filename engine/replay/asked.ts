import { WeftError } from '../base/errors.ts';
import type { Ask } from './record.ts';

/** How far a replayed run may take another path. */
export type Likeness =
  /** Not at all: the plan is the recorded one. */
  | 'same'
  /** It may ask in another order, and skip asks of the recording: the plan is of another version. */
  | 'similar';

/**
 * Finds the asks of a run among those of the recording.
 *
 * K1. Each ask of the record is found at most once.
 * K2. The first ask that is not there ends the search for good: `divergence` describes it.
 */
export class Asked {
  divergence: WeftError | undefined = undefined;
  private readonly asks: readonly Ask[];
  private readonly likeness: Likeness;
  private readonly taken = new Set<number>();
  private next = 0;

  constructor(asks: readonly Ask[], likeness: Likeness) {
    this.asks = asks;
    this.likeness = likeness;
  }

  /** The index of an ask; undefined if it is not in the record. */
  find(what: string): number | undefined {
    const of = this.likeness === 'same' ? this.inOrder(what) : this.firstLike(what);
    if (of !== undefined) this.taken.add(of);
    return of;
  }

  /** Notes that the run got the item at this index without asking for it: a stream within an answer. */
  take(of: number): void {
    this.taken.add(of);
    this.next = Math.max(this.next, of + 1);
  }

  diverge(message: string): void {
    this.divergence ??= new WeftError('replay_diverged', message);
  }

  private inOrder(what: string): number | undefined {
    const of = this.next++;
    const recorded = this.asks[of];
    if (recorded?.what === what) return of;
    const before = recorded ? `the record has ${recorded.what}` : 'the record ends';
    this.diverge(`Where ${before} (ask ${of}), the run asked for ${what}.`);
    return undefined;
  }

  private firstLike(what: string): number | undefined {
    while (this.taken.has(this.next)) this.next++;
    for (let of = this.next; of < this.asks.length; of++)
      if (this.asks[of]?.what === what && !this.taken.has(of)) return of;
    return undefined;
  }
}
