import type { PlanStatus } from '#shared/chat-item.ts';
import type { PlannedStep } from './plan.ts';

/** How a step ended. */
export type StepEnd =
  | { readonly status: 'complete'; readonly text: string }
  | { readonly status: 'failed'; readonly error: unknown };

/** The steps of a plan, and how they are carried out. */
export interface PlanWork {
  readonly steps: readonly PlannedStep[];
  /** Steps that run at the same time. */
  readonly concurrency: number;
  /** The most attempts of a step, including the first. */
  readonly attempts: number;
  readonly signal: AbortSignal;
  /** Executes a step; `results` are those of its dependencies, in that order. */
  run(at: number, results: readonly string[], attempt: number): Promise<string>;
  mayRetry(error: unknown): boolean;
  /** Waits before attempt `attempt`; rejects with the reason of `signal`. */
  pause(attempt: number): Promise<void>;
  changed(at: number, status: PlanStatus, error?: unknown): void;
}

/**
 * Executes a plan.
 *
 * PR1. A step starts once all its dependencies are complete, with at most `concurrency` others in progress.
 * PR2. A failing step is retried while attempts are left; then it and all steps that depend on it are `failed`.
 * PR3. Every step ends `complete` or `failed` and is not reported after that, even when `signal` aborts. The plan
 *      then rejects with the signal's reason once nothing is in progress.
 */
export function runPlan(work: PlanWork): Promise<StepEnd[]> {
  return new PlanRun(work).done;
}

/** The error of the steps that depend on a failed one. */
export class DependencyFailed extends Error {
  readonly step: string;

  constructor(step: string) {
    super(`It needs the result of “${step}”, which failed.`);
    this.step = step;
  }
}

class PlanRun {
  readonly done: Promise<StepEnd[]>;
  private readonly work: PlanWork;
  private readonly ends: (StepEnd | undefined)[];
  private readonly begun = new Set<number>();
  private active = 0;
  private settle!: { resolve(ends: StepEnd[]): void; reject(reason: unknown): void };

  constructor(work: PlanWork) {
    this.work = work;
    this.ends = work.steps.map(() => undefined);
    this.done = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    for (const [at, { dependsOn }] of work.steps.entries())
      work.changed(at, dependsOn.length === 0 ? 'todo' : 'waiting');
    this.advance();
  }

  /** Starts every step that can start; settles when nothing is left. */
  private advance(): void {
    const { steps, concurrency, signal } = this.work;
    for (const at of steps.keys()) {
      if (signal.aborted || this.active >= concurrency) break;
      if (this.isReady(at)) this.begin(at);
    }
    if (this.active > 0) return;
    if (signal.aborted) {
      for (const at of steps.keys()) this.fail(at, signal.reason);
      this.settle.reject(signal.reason);
    } else this.settle.resolve(this.ends as StepEnd[]);
  }

  private isReady(at: number): boolean {
    const step = this.work.steps[at] as PlannedStep;
    return !this.begun.has(at) && step.dependsOn.every((on) => this.ends[on]?.status === 'complete');
  }

  private begin(at: number): void {
    this.begun.add(at);
    this.active++;
    void this.execute(at).then((end) => {
      this.active--;
      if (end.status === 'complete') {
        this.ends[at] = end;
        this.work.changed(at, 'complete');
      } else this.fail(at, end.error);
      this.advance();
    });
  }

  private async execute(at: number): Promise<StepEnd> {
    const { steps, attempts, signal } = this.work;
    const results = (steps[at] as PlannedStep).dependsOn.map((on) => textOf(this.ends[on]));
    for (let attempt = 1; ; attempt++) {
      this.work.changed(at, 'running');
      try {
        const text = await this.work.run(at, results, attempt);
        signal.throwIfAborted();
        return { status: 'complete', text };
      } catch (error) {
        if (signal.aborted) return { status: 'failed', error: signal.reason };
        if (attempt >= attempts || !this.work.mayRetry(error)) return { status: 'failed', error };
        this.work.changed(at, 'retrying', error);
      }
      try {
        await this.work.pause(attempt + 1);
      } catch (error) {
        return { status: 'failed', error };
      }
    }
  }

  /** Fails a step with all direct and indirect dependents. */
  private fail(at: number, error: unknown): void {
    const failing: [number, unknown][] = [[at, error]];
    for (let next = failing.pop(); next !== undefined; next = failing.pop()) {
      const [failed, why] = next;
      if (this.ends[failed] !== undefined) continue;
      this.begun.add(failed);
      this.ends[failed] = { status: 'failed', error: why };
      this.work.changed(failed, 'failed', why);
      const { name } = this.work.steps[failed] as PlannedStep;
      for (const [behind, { dependsOn }] of this.work.steps.entries())
        if (dependsOn.includes(failed)) failing.push([behind, new DependencyFailed(name)]);
    }
  }
}

function textOf(end: StepEnd | undefined): string {
  return end?.status === 'complete' ? end.text : '';
}
