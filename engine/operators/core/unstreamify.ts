import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../operator.ts';

export default defineOperator({
  title: 'Collect',
  doc: 'Waits for the end of a stream and passes its items on as one list.',
  icon: 'list-end',
  params: z.object({
    maxItems: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .describe('More items than this are an error, so that an endless stream does not fill the memory.'),
  }),
  inputs: { in: input<AsyncIterable<unknown>>({ kind: 'stream', doc: 'A stream.' }) },
  outputs: { out: output({ doc: 'All items, in order.', schema: z.array(z.unknown()) }) },
  effects: 'pure',
  examples: [
    { title: 'Three items', inputs: { in: ['a', 'b', 'c'] }, outputs: { out: ['a', 'b', 'c'] } },
    { title: 'Too many', params: { maxItems: 2 }, inputs: { in: [1, 2, 3] }, error: 'too_many_items' },
  ],
  async run(call) {
    return await collect(iteratorOf(call.input), call.params.maxItems, call.signal);
  },
});

function iteratorOf(stream: unknown): AsyncIterator<unknown> {
  const start = (stream as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator];
  if (typeof start !== 'function') throw new WeftError('bad_input', 'The input is no stream.');
  return start.call(stream);
}

/** Ends with the signal even when the stream is silent: it is told to stop, but nobody waits for that. */
function collect(
  iterator: AsyncIterator<unknown>,
  maxItems: number,
  signal: AbortSignal,
): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const stop = (reason: unknown): void => {
      reject(reason);
      Promise.resolve(iterator.return?.()).catch(() => {});
    };
    const onAbort = (): void => stop(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    takeAll(iterator, maxItems, signal)
      .then(resolve, stop)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

async function takeAll(
  iterator: AsyncIterator<unknown>,
  maxItems: number,
  signal: AbortSignal,
): Promise<unknown[]> {
  const items: unknown[] = [];
  while (!signal.aborted) {
    const next = await iterator.next();
    if (next.done) break;
    if (items.length === maxItems) {
      throw new WeftError(
        'too_many_items',
        `The stream gave more than ${maxItems} items; raise maxItems to take more.`,
      );
    }
    items.push(next.value);
  }
  return items;
}
