import type { RunEvent, RunSummary } from '#shared/run-event.ts';

/** The items of the stream of all runs: summaries and events with a common cursor. */
export interface FeedItem {
  readonly cursor: number;
  readonly event: RunEvent | { kind: 'run-summary'; summary: RunSummary };
}

/** An item of the feed, also as JSON. */
export interface FeedEntry {
  readonly flow: string;
  readonly item: FeedItem;
  readonly json: string;
}

/** The latest feed items by cursor, bounded in number and size. */
export class FeedRing {
  /** Cursor of the newest item. */
  head: number;
  /** Cursor of the oldest stored item; `head + 1` if there is none. */
  tail: number;
  private bytes = 0;
  private readonly slots: (FeedEntry | undefined)[];
  private readonly limits: { readonly items: number; readonly bytes: number };

  constructor(head: number, limits: { readonly items: number; readonly bytes: number }) {
    this.head = head;
    this.tail = head + 1;
    this.limits = limits;
    this.slots = [];
  }

  push(flow: string, event: FeedItem['event'], eventJson: string): void {
    const cursor = this.head + 1;
    const json = `{"cursor":${cursor},"event":${eventJson}}`;
    this.skip();
    this.slots[cursor % this.limits.items] = { flow, item: { cursor, event }, json };
    this.bytes += json.length;
    while (this.bytes > this.limits.bytes) this.drop();
  }

  /** Uses up a cursor without an item, for events that were not stored. */
  skip(): void {
    if (this.head - this.tail + 1 >= this.limits.items) this.drop();
    this.head++;
  }

  at(cursor: number): FeedEntry | undefined {
    return cursor < this.tail || cursor > this.head ? undefined : this.slots[cursor % this.limits.items];
  }

  private drop(): void {
    const index = this.tail++ % this.limits.items;
    this.bytes -= this.slots[index]?.json.length ?? 0;
    this.slots[index] = undefined;
  }
}
