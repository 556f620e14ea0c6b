import type { Call } from '../base/operator.ts';
import { reading } from './_record.ts';

/** How long work may block everything else at a time, in milliseconds. */
const SLICE_MS = 8;

/**
 * Executes work that may be large: a generator that yields wherever it can be interrupted. Work that ends within one time
 * slice returns its result at once, as a pure operator should. Longer work continues in slices, and the result is a promise.
 * It ends with the call's signal.
 * @throws WeftError `bad_input` if the work reads an unreadable input.
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
