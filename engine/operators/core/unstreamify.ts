import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { collectStream } from '../_collect.ts';

export default defineOperator({
  title: 'Collect',
  doc: 'Waits for the end of a stream and passes its items on as one list.',
  icon: 'list-end',
  summary: 'at most {maxItems} items',
  synonyms: 'to list, to array, collect stream, gather items, aggregate items',
  purpose: 'data',
  params: z.object({
    maxItems: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .describe('More items than this are an error, so that an endless stream cannot fill the memory.'),
  }),
  inputs: { in: input<AsyncIterable<unknown>>({ kind: 'stream', doc: 'A stream.' }) },
  outputs: { out: output({ doc: 'All items, in order.', schema: z.array(z.unknown()) }) },
  infer: { outputs: { out: { array: { input: 'in' } } } },
  effects: 'pure',
  examples: [
    { title: 'Three items', inputs: { in: ['a', 'b', 'c'] }, outputs: { out: ['a', 'b', 'c'] } },
    { title: 'Too many', params: { maxItems: 2 }, inputs: { in: [1, 2, 3] }, error: 'too_many_items' },
  ],
  async run({ input: stream, params, signal }) {
    return await collectStream(stream, params.maxItems, signal);
  },
});
