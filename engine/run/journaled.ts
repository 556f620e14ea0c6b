import type { RunCtx } from '../host.ts';
import type { NodeCall } from './call.ts';

type Settled = { readonly value: unknown } | { readonly error: unknown };
type Take = (call: NodeCall, settled: Settled) => void;

interface Entry {
  readonly call: NodeCall;
  readonly end: Promise<Settled>;
  readonly take: Take;
}

/**
 * Takes the ends of awaited steps in the order that `RunCtx.next` says, so that a durable run which is carried on elsewhere
 * goes the same way. Not used by runs in memory. What an end costs does not depend on how many are awaited.
 */
export class Journaled {
  private readonly running = new Map<string, Promise<unknown>>();
  private readonly entries = new Map<string, Entry>();
  private readonly ctx: RunCtx;
  /** Those that have ended, from `taken` on in the order in which they did. */
  private ended: Entry[] = [];
  private taken = 0;
  private onEnded: (() => void) | undefined = undefined;
  private pumping = false;

  constructor(ctx: RunCtx) {
    this.ctx = ctx;
  }

  add(call: NodeCall, promise: Promise<unknown>, take: Take): void {
    const end = promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const entry = { call, end, take };
    this.running.set(call.node, end);
    this.entries.set(call.node, entry);
    void end.then(() => {
      this.ended.push(entry);
      this.onEnded?.();
    });
    if (!this.pumping) void this.pump();
  }

  private async pump(): Promise<void> {
    this.pumping = true;
    while (this.running.size > 0) {
      const key = await this.ctx.next(this.running, () => this.first());
      const entry = this.entries.get(key);
      this.running.delete(key);
      this.entries.delete(key);
      if (entry) entry.take(entry.call, await entry.end);
    }
    this.pumping = false;
  }

  private async first(): Promise<string> {
    for (;;) {
      const entry = this.ended[this.taken];
      if (entry === undefined) await this.another();
      else {
        this.taken++;
        // One that was taken before it had ended is over, also where its node is awaited again.
        if (this.entries.get(entry.call.node) === entry) return entry.call.node;
      }
    }
  }

  private another(): Promise<void> {
    this.ended = [];
    this.taken = 0;
    return new Promise((resolve) => {
      this.onEnded = resolve;
    });
  }
}
