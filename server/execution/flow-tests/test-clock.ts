/** A clock that stands still while real work is in progress, and otherwise jumps to the next timer. */
export class TestClock {
  now: number;
  private made = 0;
  private busy = 0;
  private next: NodeJS.Immediate | undefined = undefined;
  private readonly timers = new Set<{
    readonly at: number;
    readonly order: number;
    readonly fn: () => void;
  }>();

  constructor(startsAt: number) {
    this.now = startsAt;
  }

  timer(ms: number, fn: () => void): () => void {
    const timer = { at: this.now + ms, order: this.made++, fn };
    this.timers.add(timer);
    this.schedule();
    return () => void this.timers.delete(timer);
  }

  /** Stops the clock while the work is in progress. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.busy++;
    try {
      return await work();
    } finally {
      this.busy--;
      this.schedule();
    }
  }

  /** Forgets all timers. */
  close(): void {
    this.timers.clear();
    clearImmediate(this.next);
  }

  private schedule(): void {
    if (this.next === undefined && this.busy === 0 && this.timers.size > 0)
      this.next = setImmediate(() => this.jump());
  }

  private jump(): void {
    this.next = undefined;
    if (this.busy > 0) return;
    const [first] = [...this.timers].sort((a, b) => a.at - b.at || a.order - b.order);
    if (first === undefined) return;
    this.timers.delete(first);
    this.now = Math.max(this.now, first.at);
    first.fn();
    this.schedule();
  }
}
