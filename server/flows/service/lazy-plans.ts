import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CompiledFlow, Steps } from '#engine';

/** The plans of a text, compiled on first use: a flow without calls costs no compiling. */
export interface LazyPlans {
  /**
   * Compiles the remaining plans once, and returns the same object on each call. Rethrows the compiler's error each
   * time.
   */
  all(): CompiledFlow;
  /** Whether nothing is left to compile. */
  readonly isDone: boolean;
  /** Compiles while `isWanted`, with pauses for requests. Never throws; `all` does. */
  inTurns(isWanted?: () => boolean): Promise<void>;
}

/** Milliseconds after which requests get a turn. */
const TURN_MS = 8;

export function lazyPlans(begin: () => Steps<CompiledFlow>): LazyPlans {
  let steps: Steps<CompiledFlow> | undefined;
  let end: (() => CompiledFlow) | undefined;

  function advance(until: () => boolean): void {
    try {
      steps ??= begin();
      while (end === undefined) {
        const { done, value } = steps.next();
        if (done === true) end = () => value;
        else if (until()) return;
      }
    } catch (error) {
      end = () => {
        throw error;
      };
    }
  }

  return {
    get isDone() {
      return end !== undefined;
    },
    all() {
      advance(() => false);
      return (end as () => CompiledFlow)();
    },
    async inTurns(isWanted = () => true) {
      while (isWanted()) {
        const started = performance.now();
        advance(() => performance.now() - started > TURN_MS);
        if (end !== undefined) return;
        await nextTurn();
      }
    },
  };
}
