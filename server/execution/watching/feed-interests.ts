import type { Host } from '#engine';

interface Interest {
  watchers: number;
  /** Cursor from which on everything of this flow is in the feed. */
  readonly since: number;
  /** Cancels its end; set while it lingers. */
  stay: (() => void) | undefined;
}

/** The flows whose runs belong in the feed, and since when. */
export class FeedInterests {
  private readonly flows = new Map<string | undefined, Interest>();
  private readonly host: Host;
  private readonly lingerMs: number;
  private readonly ring: { readonly head: number; skip(): void };

  constructor(host: Host, lingerMs: number, ring: FeedInterests['ring']) {
    this.host = host;
    this.lingerMs = lingerMs;
    this.ring = ring;
  }

  has(flow: string): boolean {
    return this.flows.size > 0 && (this.flows.has(undefined) || this.flows.has(flow));
  }

  /** Adds a watcher of a flow (of all, if undefined). Returns the cursor from which on it misses nothing. */
  hold(flow: string | undefined): number {
    let interest = this.flows.get(flow);
    if (interest === undefined) {
      interest = { watchers: 0, since: this.ring.head, stay: undefined };
      this.flows.set(flow, interest);
    }
    interest.watchers++;
    interest.stay?.();
    interest.stay = undefined;
    return Math.min(interest.since, this.flows.get(undefined)?.since ?? interest.since);
  }

  release(flow: string | undefined): void {
    const interest = this.flows.get(flow);
    if (interest === undefined || --interest.watchers > 0) return;
    interest.stay = this.host.timer(this.lingerMs, () => {
      this.flows.delete(flow);
      // From now on this flow's runs are missing: a watcher that returns with the current cursor must get a gap.
      this.ring.skip();
    });
  }

  close(): void {
    for (const interest of this.flows.values()) interest.stay?.();
    this.flows.clear();
  }
}
