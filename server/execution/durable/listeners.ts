/** A condition to wait for: `look` returns the value once it exists. */
interface Wanted<T> {
  readonly run: string;
  readonly what: 'any' | 'ended';
  readonly look: () => Promise<T | undefined>;
  readonly signal: AbortSignal | undefined;
}

/** Waits for events of a run in this process. */
export class Listeners {
  private readonly waiting = new Map<string, Set<{ readonly what: 'any' | 'ended'; go(): void }>>();

  /** Resolves at the next event. Rejects with the signal's reason. */
  next(run: string, what: 'any' | 'ended', signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', fail);
        this.remove(run, entry);
      };
      const fail = (): void => {
        leave();
        reject(signal?.reason as Error);
      };
      const entry = {
        what,
        go: (): void => {
          leave();
          resolve();
        },
      };
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      signal?.addEventListener('abort', fail, { once: true });
      const entries = this.waiting.get(run) ?? new Set();
      this.waiting.set(run, entries.add(entry));
    });
  }

  /** Looks at once, and after each event. Rejects with the signal's reason, or the error of `look`. */
  async until<T>({ run, what, look, signal }: Wanted<T>): Promise<T> {
    for (;;) {
      const looked = new AbortController();
      const signals = signal === undefined ? [looked.signal] : [looked.signal, signal];
      const changed = this.next(run, what, AbortSignal.any(signals));
      // Not awaited if the first look succeeds.
      changed.catch(() => undefined);
      try {
        const found = await look();
        if (found !== undefined) return found;
        await changed;
      } finally {
        looked.abort();
      }
    }
  }

  notify(run: string, what: 'any' | 'ended'): void {
    for (const entry of [...(this.waiting.get(run) ?? [])])
      if (what === 'ended' || entry.what === 'any') entry.go();
  }

  /** Makes all waiting callers look again. */
  notifyAll(): void {
    for (const run of [...this.waiting.keys()]) this.notify(run, 'ended');
  }

  private remove(run: string, entry: { readonly what: 'any' | 'ended'; go(): void }): void {
    const entries = this.waiting.get(run);
    entries?.delete(entry);
    if (entries?.size === 0) this.waiting.delete(run);
  }
}
