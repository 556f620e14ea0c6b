/** Lets one change happen after the other, so that each sees what the last one left. */
export interface MutationQueue {
  /** Runs `change` when all earlier ones have ended, well or not. */
  run<T>(change: () => Promise<T>): Promise<T>;
  /** Resolves when nothing is waiting or running. */
  idle(): Promise<void>;
}

export function createMutationQueue(): MutationQueue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(change) {
      const result = last.then(change);
      last = result.catch(() => undefined);
      return result;
    },
    async idle() {
      let seen;
      do {
        seen = last;
        await seen;
      } while (seen !== last);
    },
  };
}
