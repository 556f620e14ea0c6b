import type { RunCtx } from '../host.ts';
import type { NodeCall } from './call.ts';

type Settled = { readonly value: unknown } | { readonly error: unknown };
type Take = (call: NodeCall, settled: Settled) => void;

interface Entry {
  readonly call: NodeCall;
  readonly end: Promise<Settled>;
  readonly take: Take;
  isOver: boolean;
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
  /** The one whose end is taken next, whichever others have ended. */
  private due: Entry | undefined = undefined;

  constructor(ctx: RunCtx) {
    this.ctx = ctx;
  }

  add(call: NodeCall, promise: Promise<unknown>, take: Take): void {
    const end = promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const entry = { call, end, take, isOver: false };
    this.running.set(call.node, end);
    this.entries.set(call.node, entry);
    void end.then(() => {
      entry.isOver = true;
      if (this.due !== undefined) call.run.streams?.changed();
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
      if (entry) await this.takeEnd(entry);
    }
    this.pumping = false;
  }

  private async takeEnd(entry: Entry): Promise<void> {
    const { call, end, take } = entry;
    this.due = entry;
    call.run.streams?.changed();
    const settled = await end;
    this.due = undefined;
    take(call, settled);
  }

  /** Whether the attempt has ended, but may be taken only after another one that has not. */
  isHeldUp(call: NodeCall): boolean {
    return this.due !== undefined && this.entries.get(call.node)?.isOver === true;
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
