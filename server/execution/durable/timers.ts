/** The longest time that a timer takes, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Timers that end together. */
export class Timers {
  private readonly running = new Set<NodeJS.Timeout>();
  private readonly failed: (error: unknown) => void;
  private stopped = false;

  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  /** Does the work again and again, `ms` after each end of it. */
  every(ms: number, work: () => Promise<void>): void {
    this.set(ms, () => {
      void work()
        .catch(this.failed)
        .finally(() => this.stopped || this.every(ms, work));
    });
  }

  /** Does the work once, as late as a timer can; it keeps no process alive. */
  once(ms: number, work: () => void): void {
    this.set(Math.min(ms, LONGEST_MS), work).unref();
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.running) clearTimeout(timer);
    this.running.clear();
  }

  private set(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.running.delete(timer);
      work();
    }, ms);
    this.running.add(timer);
    return timer;
  }
}
