import type { RunCtx, WaitFor } from '../base/host.ts';
import type { Strand, StrandPart } from '../base/operator.ts';
import { partKey } from './durable.ts';
import { track, withParts } from './places.ts';
import { placeOf } from './rounds.ts';
import type { Attempt } from './state.ts';

/** See `Strand`. In a run that is only in memory, parts are not recorded, and waits are the host's. */
export class StepStrand implements Strand {
  private readonly call: Attempt;
  private readonly ctx: RunCtx | undefined;
  private readonly release: (() => void) | undefined;
  private waiting = 0;
  /** Parts in progress, which count themselves. */
  private parts = 0;
  /** Its open waits; infinite while it works between parts. */
  private readonly count = (): number =>
    this.waiting + this.parts === 0 ? Number.POSITIVE_INFINITY : this.waiting;

  constructor(call: Attempt) {
    this.call = call;
    const { ctx } = call.run;
    // A replay does not execute what the parts ask.
    this.ctx = ctx && (ctx.unrecorded ?? ctx);
    if (this.ctx === undefined) return;
    this.release = this.ctx.parts(call.stepKey);
    withParts(call).parts.add(this.count);
  }

  async part({ name, input, signal }: StrandPart, fn: () => Promise<unknown>): Promise<unknown> {
    const { call, ctx } = this;
    if (ctx === undefined) return fn();
    const step = {
      key: this.partKey(name),
      whole: call.stepKey,
      idempotencyKey: `${call.idempotencyKey}/${name}`,
      operator: call.step.type,
      params: call.params,
      input,
      signal,
    };
    this.parts++;
    try {
      return await track(call, step.key, () => ctx.step(step, fn));
    } finally {
      this.parts--;
    }
  }

  async wait(name: string, what: WaitFor, signal: AbortSignal): Promise<unknown> {
    const { call, ctx } = this;
    const { observed, recorder } = call.run;
    if (observed) recorder.nodeWaiting(call.step, what);
    if (ctx === undefined)
      return call.service('waits').ask({ key: this.keyOf(name), what }, call.asker, signal);
    this.waiting++;
    try {
      return await ctx.wait(this.partKey(name), call.node, what, signal);
    } finally {
      this.waiting--;
    }
  }

  get isRecorded(): boolean {
    return this.ctx !== undefined;
  }

  keyOf(name: string): string {
    const { inside } = this.call.run;
    const key = this.partKey(name);
    return inside === undefined ? key : `${placeOf(inside)}/${key}`;
  }

  private partKey(name: string): string {
    return partKey(this.call, { index: name, attempt: 1 });
  }

  end(): void {
    const { call, ctx } = this;
    if (ctx === undefined) return;
    withParts(call).parts.delete(this.count);
    this.release?.();
  }
}
