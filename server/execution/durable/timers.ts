/** The longest delay of a timer, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Timers that are stopped together. */
export class Timers {
  private readonly running = new Set<NodeJS.Timeout>();
  private readonly failed: (error: unknown) => void;
  private stopped = false;

  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  /** Repeats the work, `ms` milliseconds after each end of it. */
  every(ms: number, work: () => Promise<void>): void {
    this.set(ms, () => {
      void work()
        .catch(this.failed)
        .finally(() => this.stopped || this.every(ms, work));
    });
  }

  /** Does the work once; a delay beyond a timer's limit is cut to it. The timer keeps no process alive. */
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
