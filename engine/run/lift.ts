import { DEAD } from '../compile/plan.ts';
import { NodeCall } from './call.ts';
import { isTransient, timeoutError } from './error.ts';
import { retryDelay } from './retry.ts';
import type { WeftError } from '../errors.ts';

/**
 * Runs a step once per item of a stream, in order, with `item` and `index` set; retry, time limit and `onError: continue` hold
 * for each item by itself. An item whose output is left out leaves a hole, not a value.
 */
export async function* liftItems(call: NodeCall, items: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  let index = 0;
  for await (const item of items) {
    const value = await itemValue(call, item, index++);
    if (value !== DEAD) yield value;
  }
}

async function itemValue(call: NodeCall, item: unknown, index: number): Promise<unknown> {
  const { step, run } = call;
  let attempt = new NodeCall(run, step, item);
  attempt.item = item;
  attempt.index = index;
  for (;;) {
    try {
      return outputOf(call, await attemptItem(call, attempt));
    } catch (error) {
      const retry = step.retry;
      if (!call.signal.aborted && retry && attempt.attempt < retry.attempts && isTransient(error)) {
        await call.sleep(retryDelay(retry, attempt.attempt, () => run.host.random()));
        attempt = attempt.again();
      } else if (step.onError === 'continue' && !call.signal.aborted) {
        return outputOf(call, step.single ? step.fallback?.[step.ports[0] as string] : step.fallback);
      } else throw error;
    }
  }
}

function outputOf({ step }: NodeCall, result: unknown): unknown {
  const value = step.single
    ? result
    : (result as Record<string, unknown> | undefined)?.[step.ports[0] as string];
  return value === undefined ? DEAD : value;
}

function attemptItem(call: NodeCall, attempt: NodeCall): unknown {
  const { step, run } = call;
  attempt.params = step.makeParams === undefined ? step.params : step.makeParams(attempt);
  const result = step.run?.(attempt);
  if (!(result instanceof Promise)) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => attempt.abort(call.signal.reason as WeftError);
    call.signal.addEventListener('abort', abort, { once: true });
    const stop =
      step.timeoutMs === 0
        ? undefined
        : run.host.timer(step.timeoutMs, () => {
            const error = timeoutError(step.id, step.timeoutMs);
            attempt.abort(error);
            reject(error);
          });
    const done = (): void => {
      stop?.();
      call.signal.removeEventListener('abort', abort);
    };
    result.then(resolve, reject).finally(done);
  });
}
