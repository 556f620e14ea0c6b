import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { listOf } from '../_list.ts';
import { inSlices } from '../_slices.ts';

export default defineOperator({
  title: 'Batch',
  doc: 'Splits a list into lists of a given size, so that their items can be processed together. For a stream use Transform stream with windows.',
  icon: 'boxes',
  summary: '{size} at a time',
  synonyms: 'chunk, split in batches, loop over items, pages, bulk',
  params: z.object({
    size: z.int().min(1).max(1_000_000).default(10).describe('Items per batch; the last one may have fewer.'),
  }),
  inputs: { in: input({ doc: 'A list.', schema: z.array(z.unknown()) }) },
  outputs: { out: output({ doc: 'The batches, in order.', schema: z.array(z.array(z.unknown())) }) },
  infer: { outputs: { out: { array: { array: { itemOf: { input: 'in' } } } } } },
  effects: 'pure',
  examples: [
    {
      title: 'Two at a time',
      params: { size: 2 },
      inputs: { in: [1, 2, 3, 4, 5] },
      outputs: { out: [[1, 2], [3, 4], [5]] },
    },
    { title: 'Nothing', inputs: { in: [] }, outputs: { out: [] } },
  ],
  run: (call) => inSlices(call, batches(listOf(call.input), call.params.size)),
});

function* batches(list: readonly unknown[], size: number): Generator<undefined, unknown[][], undefined> {
  const found: unknown[][] = [];
  for (let start = 0; start < list.length; start += size) {
    const end = Math.min(start + size, list.length);
    found.push(Array.from({ length: end - start }, (_, i) => list[start + i]));
    yield;
  }
  return found;
}
