import type { WeftError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';
import { END, ItemStream, PENDING } from '../base/item-stream.ts';
import { DEAD, type Step } from '../plan/plan.ts';
import { limitTime, retryAfter } from './retry.ts';
import type { Attempt } from './state.ts';

/**
 * A step run once per item of a stream, in order, with `item` and `index` set; retry, time limit and `onError: continue`
 * apply to each item separately. An item without an output leaves a gap, not a value. An item that ends in the same turn
 * takes no promise.
 */
export class LiftedStream extends ItemStream {
  private readonly call: Attempt;
  private readonly items: ItemStream;
  private index = 0;
  /** The item that is awaited. */
  private running: Promise<void> | undefined = undefined;
  private outcome: { readonly value: unknown } | { readonly error: unknown } | undefined = undefined;
  private wake: (() => void) | undefined = undefined;

  constructor(call: Attempt, items: ItemStream) {
    super();
    this.call = call;
    this.items = items;
  }

  poll(): unknown {
    for (;;) {
      if (this.running !== undefined) return PENDING;
      const value = this.outcome === undefined ? this.nextItem() : this.takeOutcome();
      if (value !== DEAD) return value;
    }
  }

  whenReady(wake: () => void): void {
    if (this.running === undefined) this.items.whenReady(wake);
    else this.wake = wake;
  }

  close(): Promise<unknown> | undefined {
    this.outcome = undefined;
    void this.items.close();
    return this.running;
  }

  private nextItem(): unknown {
    const item = this.items.poll();
    if (item === PENDING || item === END) return item;
    const { step } = this.call;
    const attempt = this.call.forItem(item, this.index++);
    try {
      const result = attempt.execute();
      return isPromise(result) ? this.await(attempt, result) : outputOf(step, result);
    } catch (error) {
      if (step.retry === undefined && step.onError !== 'continue') throw error;
      return this.await(attempt, Promise.reject(error));
    }
  }

  private await(attempt: Attempt, result: Promise<unknown>): typeof PENDING {
    this.running = finishItem(this.call, attempt, result)
      .then(
        (value) => void (this.outcome = { value }),
        (error: unknown) => void (this.outcome = { error }),
      )
      .then(() => {
        this.running = undefined;
        const { wake } = this;
        this.wake = undefined;
        wake?.();
      });
    return PENDING;
  }

  private takeOutcome(): unknown {
    const { outcome } = this;
    this.outcome = undefined;
    if (outcome === undefined || 'value' in outcome) return outcome?.value;
    throw outcome.error;
  }
}

function outputOf(step: Step, result: unknown): unknown {
  const value = step.single
    ? result
    : (result as Record<string, unknown> | undefined)?.[step.ports[0] as string];
  return value === undefined ? DEAD : value;
}

/** The value of an item whose first attempt is awaited, including all further attempts. */
async function finishItem(call: Attempt, first: Attempt, result: Promise<unknown>): Promise<unknown> {
  const { step } = call;
  let attempt = first;
  let pending = result;
  for (;;) {
    try {
      return outputOf(step, await withinLimit(call, attempt, pending));
    } catch (error) {
      if (call.signal.aborted) throw error;
      const delay = retryAfter(attempt, error);
      if (delay !== undefined) {
        await call.sleep(delay);
        attempt = attempt.again();
        pending = startAttempt(attempt);
      } else if (step.onError === 'continue') {
        return outputOf(step, step.single ? step.fallback?.[step.ports[0] as string] : step.fallback);
      } else throw error;
    }
  }
}

async function startAttempt(attempt: Attempt): Promise<unknown> {
  return await attempt.execute();
}

/** Passes the step's end on to the attempt, and ends the attempt at its time limit. */
function withinLimit(call: Attempt, attempt: Attempt, result: Promise<unknown>): Promise<unknown> {
  const { step, run } = call;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => attempt.abort(call.signal.reason as WeftError);
    const finish = (): void => {
      attempt.stopTimer?.();
      call.signal.removeEventListener('abort', onAbort);
      if (attempt.expired) reject(attempt.expired);
      else resolve(result);
    };
    if (step.timeoutMs > 0) {
      limitTime(attempt, () => {
        run.noteAbandoned(step);
        finish();
      });
    }
    call.signal.addEventListener('abort', onAbort, { once: true });
    result.then(finish, finish);
  });
}
