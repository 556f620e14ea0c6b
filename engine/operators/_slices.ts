import type { Call } from '../operator.ts';
import { reading } from './_record.ts';

/** How long work may hold up everything else at a time, in milliseconds. */
const SLICE_MS = 8;

/**
 * Carries out work that may be large: a generator that yields wherever it can be put down. What is done within a slice of time
 * gives its result at once, as a pure operator should; else the rest goes on in slices, and the result is a promise. It ends
 * with the call's signal.
 * @throws WeftError `bad_input` where the work meets an input that cannot be read.
 */
export function inSlices<T>(
  call: Pick<Call, 'now' | 'sleep'>,
  work: Generator<undefined, T, undefined>,
): T | Promise<T> {
  let end: number | undefined;
  for (;;) {
    const step = reading(() => work.next());
    if (step.done) return step.value;
    const now = call.now();
    end ??= now + SLICE_MS;
    if (now >= end) return goOn(call, work);
  }
}

async function goOn<T>(
  call: Pick<Call, 'now' | 'sleep'>,
  work: Generator<undefined, T, undefined>,
): Promise<T> {
  for (;;) {
    await call.sleep(0);
    const end = call.now() + SLICE_MS;
    do {
      const step = reading(() => work.next());
      if (step.done) return step.value;
    } while (call.now() < end);
  }
}
