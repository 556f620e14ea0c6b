/**
 * Who may write now: many single writes at once, or one transaction alone. Each gets its turn in the order in which it
 * asked.
 */
export class Turns {
  private isHeld = false;
  private readonly queue: { readonly alone: boolean; readonly begin: () => void }[] = [];

  /** For a write that is sent as a whole. */
  one<T>(write: () => Promise<T>): Promise<T> {
    if (!this.isHeld) return write();
    return new Promise((resolve, reject) => {
      const begin = (): void => void write().then(resolve, reject);
      this.queue.push({ alone: false, begin });
    });
  }

  /** For several writes that nobody else may come between. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.isHeld) await new Promise<void>((begin) => void this.queue.push({ alone: true, begin }));
    this.isHeld = true;
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private next(): void {
    this.isHeld = false;
    for (let turn = this.queue.shift(); turn !== undefined; turn = this.queue.shift()) {
      this.isHeld = turn.alone;
      turn.begin();
      if (turn.alone) return;
    }
  }
}
