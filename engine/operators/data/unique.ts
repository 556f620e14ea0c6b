import { z } from 'zod';
import { defineOperator, input, lazy, type Lazy, output } from '../../base/operator.ts';
import { identityOf } from '../_identity.ts';
import { ITEMS_A_STEP, listOf } from '../_list.ts';
import { inSlices } from '../_slices.ts';

export default defineOperator({
  title: 'Unique',
  doc: 'Removes duplicate items. Objects are equal if all their fields are; 1 and "1" are not.',
  icon: 'fingerprint',
  summary: '[by {by}, ]keeps the {keep}',
  synonyms: 'distinct, deduplicate, remove duplicates, dedupe',
  params: z.object({
    by: lazy('The value that must differ, an expression over `item` and `index`; the whole item by default.')
      .meta({ widget: 'expression' })
      .optional(),
    keep: z
      .enum(['first', 'last'])
      .default('first')
      .describe('Which of several equal items stays, at its own place.'),
  }),
  inputs: { in: input({ doc: 'A list.', schema: z.array(z.unknown()) }) },
  outputs: { out: output({ doc: 'The items without duplicates.', schema: z.array(z.unknown()) }) },
  infer: { outputs: { out: { array: { itemOf: { input: 'in' } } } }, item: { itemOf: { input: 'in' } } },
  effects: 'pure',
  examples: [
    { title: 'Numbers and texts', inputs: { in: [1, '1', 1, 2] }, outputs: { out: [1, '1', 2] } },
    {
      title: 'The last one for each user',
      params: { by: '{{ item.user }}', keep: 'last' },
      inputs: {
        in: [
          { user: 'ada', at: 1 },
          { user: 'eve', at: 2 },
          { user: 'ada', at: 3 },
        ],
      },
      outputs: {
        out: [
          { user: 'eve', at: 2 },
          { user: 'ada', at: 3 },
        ],
      },
    },
  ],
  run: (call) => inSlices(call, unique(listOf(call.input), call.params)),
});

function* unique(
  list: readonly unknown[],
  { by, keep }: { by?: Lazy | undefined; keep: 'first' | 'last' },
): Generator<undefined, unknown[], undefined> {
  const seen = new Set<unknown>();
  const kept: unknown[] = [];
  // From the end, so that the last of several equal items is found first.
  const isBackwards = keep === 'last';
  for (let i = 0; i < list.length; i++) {
    const index = isBackwards ? list.length - 1 - i : i;
    const item = list[index];
    const identity = identityOf(by ? by({ item, index }) : item);
    if (!seen.has(identity)) {
      seen.add(identity);
      kept.push(item);
    }
    if (i % ITEMS_A_STEP === 0) yield;
  }
  return isBackwards ? kept.reverse() : kept;
}
