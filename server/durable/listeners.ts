/** Who waits for something to happen to a run in this process. */
export class Listeners {
  private readonly waiting = new Map<string, Set<{ readonly what: 'any' | 'ended'; go(): void }>>();

  /** Resolves when it happens next. Rejects with the signal's reason. */
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

  tell(run: string, what: 'any' | 'ended'): void {
    for (const entry of [...(this.waiting.get(run) ?? [])])
      if (what === 'ended' || entry.what === 'any') entry.go();
  }

  private remove(run: string, entry: { readonly what: 'any' | 'ended'; go(): void }): void {
    const entries = this.waiting.get(run);
    entries?.delete(entry);
    if (entries?.size === 0) this.waiting.delete(run);
  }
}
