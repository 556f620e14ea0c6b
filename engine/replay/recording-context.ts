import type { DurableStep, RunCtx } from '../host.ts';
import { encode } from './codec.ts';
import { describeStep } from './describe-ask.ts';
import type { Tape } from './tape.ts';

/**
 * A durable context whose answers are noted.
 *
 * C1. A step that has a record is on the tape as what it gave. One that is carried out now is there as what it asks for in the
 *     meantime, like a step of any other run; what it gives follows from that.
 * C2. That a step is carried out reaches the run in a turn of its own too, whenever the context comes to it.
 */
export function recordingContext(ctx: RunCtx, tape: Tape): RunCtx {
  return {
    step: (step, fn) => {
      let isCarriedOut = false;
      const code = (value: unknown): unknown => (isCarriedOut ? undefined : encode(value));
      return tape.ask(
        describeStep(step),
        (callback) =>
          ctx.step(step, () => {
            isCarriedOut = true;
            return new Promise((resolve) => {
              callback({ name: 'carryOut', with: [] }, () => resolve(carryOut(step, fn)));
            });
          }),
        code,
      ) as Promise<unknown>;
    },
    next: (running, first) => tape.ask('next', () => ctx.next(running, first)) as Promise<string>,
    wait: (key, node, what, signal) =>
      tape.ask(`wait ${key}`, () => ctx.wait(key, node, what, signal)) as Promise<unknown>,
    idle: (awaited) => ctx.idle(awaited),
  };
}

/** An attempt that was told to end before its turn came does not begin. */
export async function carryOut({ signal }: DurableStep, fn: () => Promise<unknown>): Promise<unknown> {
  signal.throwIfAborted();
  return fn();
}
