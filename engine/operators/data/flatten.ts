import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { checkCount, ITEMS_A_STEP, listOf } from '../_list.ts';
import { inSlices } from '../_slices.ts';

export default defineOperator({
  title: 'Flatten',
  doc: 'Turns a list of lists into one list. Items that are not lists stay as they are.',
  icon: 'layers-2',
  summary: '{depth} levels deep',
  synonyms: 'flat, unnest, concat lists, concat arrays',
  params: z.object({
    depth: z.int().min(1).max(100).default(1).describe('How many levels of nested lists are flattened.'),
  }),
  inputs: { in: input({ doc: 'A list, usually of lists.', schema: z.array(z.unknown()) }) },
  outputs: { out: output({ doc: 'All their items, in order.', schema: z.array(z.unknown()) }) },
  infer: { outputs: { out: { opened: { of: { input: 'in' }, levelsIn: 'depth' } } } },
  effects: 'pure',
  examples: [
    { title: 'Two lists', inputs: { in: [[1, 2], [3]] }, outputs: { out: [1, 2, 3] } },
    {
      title: 'Lists within lists',
      params: { depth: 2 },
      inputs: { in: [1, [2, [3, [4]]]] },
      outputs: { out: [1, 2, 3, [4]] },
    },
  ],
  run: (call) => inSlices(call, flattened(listOf(call.input), call.params.depth)),
});

function* flattened(list: readonly unknown[], depth: number): Generator<undefined, unknown[], undefined> {
  const made = { items: [] as unknown[], opened: 0 };
  yield* addItems(made, list, depth);
  return made.items;
}

interface Made {
  readonly items: unknown[];
  /** Number of flattened lists, since empty ones take time as well. */
  opened: number;
}

function* addItems(
  made: Made,
  list: readonly unknown[],
  depth: number,
): Generator<undefined, void, undefined> {
  checkCount(++made.opened);
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (depth > 0 && Array.isArray(item)) yield* addItems(made, item, depth - 1);
    else made.items.push(item);
    if (i % ITEMS_A_STEP === 0) {
      checkCount(made.items.length);
      yield;
    }
  }
}
