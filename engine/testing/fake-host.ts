import type { Host } from '../base/host.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
}

/**
 * A host whose clock stands still until a test advances it, whose random numbers are a fixed sequence and whose timers fire
 * in order of time. Two runs on it give the same events.
 */
export class FakeHost implements Host {
  time = 1_000;
  /** Milliseconds that each clock read takes; 0 unless a test is about long synchronous work. */
  tick = 0;
  private timers: Timer[] = [];
  private deferred: (() => void)[] = [];
  private order = 0;
  private seed = 1;
  private ids = 0;

  now(): number {
    this.time += this.tick;
    return this.time;
  }

  /** The Park-Miller sequence. */
  random(): number {
    this.seed = (this.seed * 48_271) % 2_147_483_647;
    return this.seed / 2_147_483_647;
  }

  id(): string {
    return `id-${++this.ids}`;
  }

  timer(ms: number, fn: () => void): () => void {
    const timer = { at: this.time + ms, order: ++this.order, fn };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((t) => t !== timer);
    };
  }

  defer(fn: () => void): void {
    this.deferred.push(fn);
  }

  /** Timers that have not fired and were not cancelled. */
  get pending(): number {
    return this.timers.length;
  }

  /** Lets everything happen that takes no time. */
  async flush(): Promise<void> {
    do {
      const due = this.deferred;
      this.deferred = [];
      for (const fn of due) fn();
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.deferred.length > 0);
  }

  /** Advances the clock and fires the timers that are due on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await this.flush();
    for (;;) {
      const next = this.earliest();
      if (!next || next.at > end) break;
      await this.fire(next);
    }
    this.time = end;
    await this.flush();
  }

  /** Advances the clock until no timers are left. */
  async runAll(limit = 100_000): Promise<void> {
    await this.flush();
    for (let fired = 0; fired < limit; fired++) {
      const next = this.earliest();
      if (!next) return;
      await this.fire(next);
    }
    throw new Error('The timers never end.');
  }

  private earliest(): Timer | undefined {
    return this.timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
  }

  private async fire(timer: Timer): Promise<void> {
    this.timers = this.timers.filter((t) => t !== timer);
    this.time = Math.max(this.time, timer.at);
    timer.fn();
    await this.flush();
  }
}
