import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs changes one after the other, so that each sees the result of the previous one. */
export interface MutationQueue {
  /** Runs `change` once all earlier ones have ended, whether they succeeded or failed. */
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

/** Milliseconds after which requests get a turn. */
const TURN_MS = 8;

/** The items one by one. Requests get a turn in between whenever the work on items has taken a while. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T, void, undefined> {
  let began = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}
