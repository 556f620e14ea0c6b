import type { Step } from '../plan/plan.ts';

/**
 * Steps that are ready, in the order in which they became ready; steps that may wait are set aside while all slots are
 * taken.
 */
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

  /** The next step that may fire; `full` if no slot for awaiting steps is left. */
  next(full: boolean): Step | undefined {
    const { steps, ready } = this;
    const held = full ? undefined : this.nextHeld();
    if (held !== undefined) return held;
    while (this.head < ready.length) {
      const step = steps[ready[this.head++] as number] as Step;
      if (!full || !step.mayWait) return step;
      (this.held ??= []).push(step.index);
    }
    return undefined;
  }

  /** The first step that was set aside, whether or not there is a slot for it. */
  nextHeld(): Step | undefined {
    const index = this.held?.shift();
    return index === undefined ? undefined : this.steps[index];
  }
}
