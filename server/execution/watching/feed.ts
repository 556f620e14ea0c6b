import type { Host } from '#engine';
import type { FeedItem } from './feed-ring.ts';
import type { Gap } from '../history/follower.ts';
import { FeedInterests } from './feed-interests.ts';
import { FeedRing } from './feed-ring.ts';

export type FeedFn = (item: FeedItem | Gap, json: string) => unknown;

/** Limits of what the feed keeps for late readers. */
export interface FeedLimits {
  readonly items: number;
  /** In characters. */
  readonly bytes: number;
  /**
   * How long a flow counts as watched after its last watcher left, in milliseconds, so that a lost connection can be
   * resumed.
   */
  readonly lingerMs: number;
}

const defaultLimits: FeedLimits = { items: 5000, bytes: 16 * 1024 * 1024, lingerMs: 30_000 };

interface FeedWatcher {
  /** The cursor up to which it has received everything, or a gap in its place. */
  position: number;
  readonly flow: string | undefined;
  readonly fn: FeedFn;
}

/**
 * The events of all runs, with one cursor.
 * WF1. A watcher is only a position in a shared ring, so it costs no memory, however far behind it is.
 * WF2. Cursors only grow, even across restarts; each item of a watched flow has one.
 * WF3. Between two positions a watcher gets every item of its flow, or a gap that covers the missing ones.
 * WF4. Items are made only for flows that are watched, or were a moment ago.
 */
export class Feed {
  private readonly ring: FeedRing;
  private readonly interests: FeedInterests;
  private readonly watchers = new Set<FeedWatcher>();
  private readonly onItem: () => void;

  constructor(host: Host, onItem: () => void, limits: FeedLimits = defaultLimits) {
    // Starts at the time, so that all cursors of an earlier process are older.
    this.ring = new FeedRing(host.now() * 1000, limits);
    this.interests = new FeedInterests(host, limits.lingerMs, this.ring);
    this.onItem = onItem;
  }

  /** Cursor of the newest item. */
  get head(): number {
    return this.ring.head;
  }

  /** Whether this flow, or all flows, are watched. Called at every start of a run. */
  wants(flow: string): boolean {
    return this.interests.has(flow);
  }

  add(flow: string, event: FeedItem['event'], eventJson: string): void {
    this.ring.push(flow, event, eventJson);
    this.onItem();
  }

  watch(after: number | undefined, flow: string | undefined, fn: FeedFn): () => void {
    const since = this.interests.hold(flow);
    const watcher: FeedWatcher = { position: after ?? this.ring.head, flow, fn };
    this.watchers.add(watcher);
    if (watcher.position > this.ring.head) {
      const { head } = this.ring;
      this.giveGap(watcher, { kind: 'gap', from: head, to: head, reason: 'unknown-cursor' });
    } else if (watcher.position < since) {
      this.giveGap(watcher, { kind: 'gap', from: watcher.position + 1, to: since, reason: 'not-watched' });
    }
    this.advance(watcher);
    return () => this.leave(watcher);
  }

  /** Gives every watcher the items that it has not received. */
  deliver(): void {
    for (const watcher of this.watchers) this.advance(watcher);
  }

  close(): void {
    this.watchers.clear();
    this.interests.close();
  }

  private advance(watcher: FeedWatcher): void {
    const { ring } = this;
    while (watcher.position < ring.head && this.watchers.has(watcher)) {
      const next = watcher.position + 1;
      if (next < ring.tail) {
        this.giveGap(watcher, { kind: 'gap', from: next, to: ring.tail - 1, reason: 'over-limit' });
        continue;
      }
      watcher.position = next;
      const entry = ring.at(next);
      if (entry === undefined || (watcher.flow !== undefined && entry.flow !== watcher.flow)) continue;
      if (watcher.fn(entry.item, entry.json) === false) this.leave(watcher);
    }
  }

  private giveGap(watcher: FeedWatcher, gap: Gap): void {
    watcher.position = gap.to;
    if (watcher.fn(gap, JSON.stringify(gap)) === false) this.leave(watcher);
  }

  private leave(watcher: FeedWatcher): void {
    if (this.watchers.delete(watcher)) this.interests.release(watcher.flow);
  }
}
