import { z } from 'zod';
import { defineOperator, input, lazy, type Lazy, output } from '../../base/operator.ts';
import { ITEMS_A_STEP, listOf } from '../_list.ts';
import { inSlices } from '../_slices.ts';
import { identityOf } from '../_identity.ts';

export default defineOperator({
  title: 'Group',
  doc: 'Groups the items of a list by a common key. Groups come in the order of their first items. For sums or counts of each group use Aggregate.',
  icon: 'group',
  summary: 'by {by}',
  synonyms: 'group by, bucket, partition, classify rows',
  params: z.object({
    by: lazy('The key of an item, an expression over `item` and `index`.').meta({
      widget: 'expression',
    }),
  }),
  inputs: { in: input({ doc: 'A list.', schema: z.array(z.unknown()) }) },
  outputs: {
    out: output({
      doc: 'The groups: their key, and their items.',
      schema: z.array(z.object({ key: z.unknown(), items: z.array(z.unknown()) })),
    }),
  },
  infer: {
    outputs: {
      out: {
        array: {
          object: {
            key: { union: [{ param: 'by' }, { schema: { type: 'null' } }] },
            items: { array: { itemOf: { input: 'in' } } },
          },
        },
      },
    },
    item: { itemOf: { input: 'in' } },
  },
  effects: 'pure',
  examples: [
    {
      title: 'By city',
      params: { by: '{{ item.city }}' },
      inputs: {
        in: [
          { name: 'Ada', city: 'London' },
          { name: 'Max', city: 'Bern' },
          { name: 'Eve', city: 'London' },
        ],
      },
      outputs: {
        out: [
          {
            key: 'London',
            items: [
              { name: 'Ada', city: 'London' },
              { name: 'Eve', city: 'London' },
            ],
          },
          { key: 'Bern', items: [{ name: 'Max', city: 'Bern' }] },
        ],
      },
    },
    { title: 'Nothing to group', params: { by: '{{ item }}' }, inputs: { in: [] }, outputs: { out: [] } },
  ],
  run: (call) => inSlices(call, groupsOf(listOf(call.input), call.params.by)),
});

/** Items with the same key. */
interface Group {
  readonly key: unknown;
  readonly items: unknown[];
}

/** The groups of a list, in the order of their first items; a missing key counts as null. */
function* groupsOf(list: readonly unknown[], by: Lazy): Generator<undefined, Group[], undefined> {
  const groups = new Map<unknown, Group>();
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const key = by({ item, index }) ?? null;
    const identity = identityOf(key);
    const group = groups.get(identity);
    if (group) group.items.push(item);
    else groups.set(identity, { key, items: [item] });
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return [...groups.values()];
}
