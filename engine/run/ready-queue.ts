import type { Step } from '../compile/plan.ts';

/** Steps that are ready, in the order in which they became so; those that may wait stand aside while all slots are taken. */
export class ReadyQueue {
  private readonly steps: readonly Step[];
  private readonly ready: number[];
  private head = 0;
  private held: number[] | undefined = undefined;

  constructor(steps: readonly Step[], roots: readonly number[]) {
    this.steps = steps;
    this.ready = roots.slice();
  }

  push(index: number): void {
    this.ready.push(index);
  }

  /** The next step that may fire; `full` when no slot for awaiting steps is left. */
  next(full: boolean): Step | undefined {
    const { steps, ready } = this;
    if (!full && this.held !== undefined && this.held.length > 0) return steps[this.held.shift() as number];
    while (this.head < ready.length) {
      const step = steps[ready[this.head++] as number] as Step;
      if (!full || !step.mayWait) return step;
      (this.held ??= []).push(step.index);
    }
    return undefined;
  }
}
