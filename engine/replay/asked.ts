import { WeftError } from '../base/errors.ts';
import type { Asking } from './ask-content.ts';
import type { Ask } from './record.ts';

/** How far a replayed run may take another path. */
export type Likeness =
  /** Not at all: the plan is the recorded one. */
  | 'same'
  /** It may make requests in another order, and skip recorded ones: the plan is of another version. */
  | 'similar';

/**
 * Matches the requests of a run to those of the recording.
 *
 * K1. Each recorded request is matched at most once.
 * K2. The first request without a match ends the matching for good: `divergence` describes it.
 * K3. In a similar run a request is matched by its content, equal ones in the recorded order. If the content of either side is
 *     unknown (a recording of an older version, a masked value), the description decides.
 */
export class Asked {
  divergence: WeftError | undefined = undefined;
  private readonly asks: readonly Ask[];
  private readonly likeness: Likeness;
  private readonly taken = new Set<number>();
  private next = 0;
  /** For a similar run: the requests by description, and by description and content. */
  private lists: ReadonlyMap<string, AskList> | undefined = undefined;

  constructor(asks: readonly Ask[], likeness: Likeness) {
    this.asks = asks;
    this.likeness = likeness;
  }

  /** The index of an ask; undefined if it is not in the record. */
  find(asked: string | Asking): number | undefined {
    const of = this.likeness === 'same' ? this.inOrder(textOf(asked)) : this.alike(asked);
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

  /** The run made a request without a match. */
  divergeAt(asked: string | Asking): void {
    const what = textOf(asked);
    const knows = this.likeness === 'similar' && this.listsOf().has(what);
    const which = knows
      ? ' with a content that the record does not have, or more often than the record has it: its parameters or its input differ'
      : ', which the record does not have';
    this.diverge(`The run asked for ${what}${which}.`);
  }

  private inOrder(what: string): number | undefined {
    const of = this.next++;
    const recorded = this.asks[of];
    if (recorded?.what === what) return of;
    const before = recorded ? `the record has ${recorded.what}` : 'the record ends';
    this.diverge(`Where ${before} (ask ${of}), the run asked for ${what}.`);
    return undefined;
  }

  private alike(asked: string | Asking): number | undefined {
    const what = textOf(asked);
    const content = typeof asked === 'string' ? undefined : asked.content();
    if (content === undefined) return this.firstOf(what);
    return this.firstOf(nameOf(what, content)) ?? this.firstOf(nameOf(what, undefined));
  }

  private firstOf(name: string): number | undefined {
    const list = this.listsOf().get(name);
    if (list === undefined) return undefined;
    while (list.at < list.asks.length && this.taken.has(list.asks[list.at] as number)) list.at++;
    return list.asks[list.at];
  }

  private listsOf(): ReadonlyMap<string, AskList> {
    this.lists ??= listed(this.asks);
    return this.lists;
  }
}

/** The indexes of requests; those before `at` are matched already. */
interface AskList {
  readonly asks: number[];
  at: number;
}

function listed(asks: readonly Ask[]): Map<string, AskList> {
  const lists = new Map<string, AskList>();
  for (const [of, { what, key }] of asks.entries()) {
    for (const name of [what, nameOf(what, key)]) {
      const list = lists.get(name);
      if (list === undefined) lists.set(name, { asks: [of], at: 0 });
      else list.asks.push(of);
    }
  }
  return lists;
}

/** No description contains the separator. */
function nameOf(what: string, content: string | undefined): string {
  return `${what}\0${content ?? ''}`;
}

function textOf(asked: string | Asking): string {
  return typeof asked === 'string' ? asked : asked.what;
}
