import { DEAD, type Step } from '../plan/plan.ts';
import type { WeftError } from '../errors.ts';
import { isPromise } from '../is-promise.ts';
import { END, ItemStream, PENDING } from '../item-stream.ts';
import { NodeCall } from './call.ts';
import { carryOutDurably, isJournaled } from './durable.ts';
import { isTransient } from '../transient.ts';
import { timeoutError } from './error.ts';
import { retryDelay } from './retry.ts';
import { ABORT_GRACE_MS } from './state.ts';
import { leaveAlone } from './stop.ts';

/**
 * A step run once per item of a stream, in order, with `item` and `index` set; retry, time limit and `onError: continue` hold
 * for each item by itself. An item whose output is left out leaves a hole, not a value. What ends in the same turn takes no
 * promise.
 */
export class LiftedStream extends ItemStream {
  private readonly call: NodeCall;
  private readonly items: ItemStream;
  private index = 0;
  /** The item that is awaited. */
  private running: Promise<void> | undefined = undefined;
  private outcome: { readonly value: unknown } | { readonly error: unknown } | undefined = undefined;
  private wake: (() => void) | undefined = undefined;

  constructor(call: NodeCall, items: ItemStream) {
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
    const { run, step } = this.call;
    const attempt = new NodeCall(run, step, item);
    attempt.item = item;
    attempt.index = this.index++;
    try {
      const result = carryOut(attempt);
      return isPromise(result) ? this.await(attempt, result) : outputOf(step, result);
    } catch (error) {
      if (step.retry === undefined && step.onError !== 'continue') throw error;
      return this.await(attempt, Promise.reject(error));
    }
  }

  private await(attempt: NodeCall, result: Promise<unknown>): typeof PENDING {
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

function carryOut(attempt: NodeCall): unknown {
  const { step } = attempt;
  attempt.params = step.makeParams === undefined ? step.params : step.makeParams(attempt);
  const { ctx } = attempt.run;
  if (ctx !== undefined && isJournaled(step)) return carryOutDurably(ctx, attempt, () => step.run?.(attempt));
  return step.run?.(attempt);
}

function outputOf(step: Step, result: unknown): unknown {
  const value = step.single
    ? result
    : (result as Record<string, unknown> | undefined)?.[step.ports[0] as string];
  return value === undefined ? DEAD : value;
}

/** The value of an item whose first attempt is awaited, with all the attempts that it takes. */
async function finishItem(call: NodeCall, first: NodeCall, result: Promise<unknown>): Promise<unknown> {
  const { step, run } = call;
  let attempt = first;
  let pending = result;
  for (;;) {
    try {
      return outputOf(step, await withinLimit(call, attempt, pending));
    } catch (error) {
      const { retry } = step;
      if (call.signal.aborted) throw error;
      if (retry && attempt.attempt < retry.attempts && isTransient(error)) {
        await call.sleep(retryDelay(step, { attempt: attempt.attempt, error }, run.host));
        attempt = attempt.again();
        pending = startAttempt(attempt);
      } else if (step.onError === 'continue') {
        return outputOf(step, step.single ? step.fallback?.[step.ports[0] as string] : step.fallback);
      } else throw error;
    }
  }
}

async function startAttempt(attempt: NodeCall): Promise<unknown> {
  return await carryOut(attempt);
}

/** Passes the step's end on to the attempt, and ends it at its limit: it is told so, then left alone. */
function withinLimit(call: NodeCall, attempt: NodeCall, result: Promise<unknown>): Promise<unknown> {
  const { step, run } = call;
  return new Promise((resolve, reject) => {
    let expired: WeftError | undefined;
    const onAbort = (): void => attempt.abort(call.signal.reason as WeftError);
    const leave = (): void => {
      attempt.over = true;
      leaveAlone(run, step);
      finish();
    };
    const expire = (): void => {
      expired = timeoutError(step.id, step.timeoutMs);
      attempt.abort(expired);
      stopTimer = run.host.timer(ABORT_GRACE_MS, leave);
    };
    let stopTimer = step.timeoutMs === 0 ? undefined : run.host.timer(step.timeoutMs, expire);
    const finish = (): void => {
      stopTimer?.();
      call.signal.removeEventListener('abort', onAbort);
      if (expired) reject(expired);
      else resolve(result);
    };
    call.signal.addEventListener('abort', onAbort, { once: true });
    result.then(finish, finish);
  });
}
