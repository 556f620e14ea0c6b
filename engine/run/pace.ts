import type { Host } from '../host.ts';
import { Slice } from './slice.ts';
import { CLOCK_EVERY } from './state.ts';

/** Streams that ask each other in one turn, one below the other, before they start over on a fresh stack. */
const MAX_DEPTH = 64;

/**
 * When the streams of a run move.
 *
 * P1. Wake-ups are never nested: they run one after the other, soon, so that a long chain of streams overflows no stack.
 * P2. A turn ends after a slice of time, so that other work goes on; then `paused` is set until the host calls again.
 */
export class Pace {
  paused = false;
  /** How many streams are asking each other right now. */
  depth = 0;
  private readonly host: Host;
  private readonly onResume: () => void;
  private pulls = 0;
  private readonly slice = new Slice();
  private queue: (() => void)[] = [];

  constructor(host: Host, onResume: () => void) {
    this.host = host;
    this.onResume = onResume;
  }

  /** Something will move by itself. */
  get isBusy(): boolean {
    return this.paused || this.queue.length > 0;
  }

  get isDeep(): boolean {
    return this.depth >= MAX_DEPTH;
  }

  /** Whether a producer may be asked for an item in this turn. */
  mayPull(): boolean {
    if (this.paused) return false;
    return ++this.pulls % CLOCK_EVERY !== 0 || !this.sliceIsOver();
  }

  /** Calls `fn` in this turn, behind what is going on. */
  later(fn: () => void): void {
    if (this.queue.push(fn) === 1) void Promise.resolve().then(() => this.runQueue());
  }

  private runQueue(): void {
    const { queue } = this;
    for (let i = 0; i < queue.length; i++) (queue[i] as () => void)();
    this.queue = [];
  }

  private sliceIsOver(): boolean {
    if (!this.slice.isOver(this.host.now())) return false;
    this.paused = true;
    this.host.defer(() => {
      this.paused = false;
      this.onResume();
    });
    return true;
  }
}
