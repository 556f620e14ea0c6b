import type { RunCtx } from '../host.ts';
import type { NodeCall } from './call.ts';

type Settled = { readonly value: unknown } | { readonly error: unknown };
type Take = (call: NodeCall, settled: Settled) => void;

/**
 * Takes the ends of awaited steps in the order that `RunCtx.next` says, so that a durable run which is carried on elsewhere
 * goes the same way. Not used by runs in memory.
 */
export class Journaled {
  private readonly running = new Map<string, Promise<unknown>>();
  private readonly calls = new Map<string, { call: NodeCall; end: Promise<Settled>; take: Take }>();
  private readonly ctx: RunCtx;
  private pumping = false;

  constructor(ctx: RunCtx) {
    this.ctx = ctx;
  }

  add(call: NodeCall, promise: Promise<unknown>, take: Take): void {
    const end = promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    this.running.set(call.node, end);
    this.calls.set(call.node, { call, end, take });
    if (!this.pumping) void this.pump();
  }

  private async pump(): Promise<void> {
    this.pumping = true;
    while (this.running.size > 0) {
      const key = await this.ctx.next(this.running);
      const entry = this.calls.get(key);
      this.running.delete(key);
      this.calls.delete(key);
      if (entry) entry.take(entry.call, await entry.end);
    }
    this.pumping = false;
  }
}
