import { type DurableStep, type RunCtx, type Stretch, type Stretches, stretchKey } from '../base/host.ts';
import { contentOfStep } from './ask-content.ts';
import { encode } from './codec.ts';
import { describeStep } from './describe-ask.ts';
import type { Tape } from './tape.ts';

/**
 * A durable context whose answers are recorded.
 *
 * C1. A step that has a record is on the tape with its result. A step that is executed now is there with its asks, like a
 *     step of any other run; its result follows from those.
 * C2. The run is also notified in a separate turn that a step is executed, whenever the context gets to it.
 */
export function recordingContext(ctx: RunCtx, tape: Tape): RunCtx {
  return {
    step: (step, fn) => {
      let isCarriedOut = false;
      const code = (value: unknown): unknown => (isCarriedOut ? undefined : encode(value));
      return tape.ask(
        { what: describeStep(step), content: () => contentOfStep(step, tape.revealed) },
        (callback) =>
          ctx.step(step, () => {
            isCarriedOut = true;
            return new Promise((resolve) => {
              callback({ name: 'carryOut', with: [] }, () => resolve(execute(step, fn)));
            });
          }),
        code,
      ) as Promise<unknown>;
    },
    next: (running, first) => tape.ask('next', () => ctx.next(running, first)) as Promise<string>,
    wait: (key, node, what, signal) =>
      tape.ask(`wait ${key}`, () => ctx.wait(key, node, what, signal)) as Promise<unknown>,
    idle: (awaited) => ctx.idle(awaited),
    once: (name, fn) => ctx.once(name, fn),
    parts: (key) => ctx.parts(key),
    stretches: ctx.stretches && recordingStretches(ctx.stretches, tape),
    claim: ctx.claim,
    unrecorded: ctx.unrecorded ?? ctx,
  };
}

/** Only stretches that are kept are on the tape, as values and as moments. */
function recordingStretches(stretches: Stretches, tape: Tape): Stretches {
  return {
    kept: (of) => {
      const kept = stretches.kept(of);
      if (kept !== undefined) tape.ask(askedAs('kept', of), () => kept);
      return kept;
    },
    keep: (of, value) => {
      const recorded = stretches.keep(of, value);
      return recorded && (tape.ask(askedAs('keep', of), () => recorded) as Promise<void>);
    },
  };
}

/** What a record says of a stretch. */
export function askedAs(what: 'kept' | 'keep', of: Stretch): string {
  return `${what} ${stretchKey(of)}`;
}

/** An attempt that was aborted before its turn does not start. */
export async function execute({ signal }: DurableStep, fn: () => Promise<unknown>): Promise<unknown> {
  signal.throwIfAborted();
  return fn();
}
