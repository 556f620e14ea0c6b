import { z } from 'zod';
import { defineOperator, input, lazy, output } from '../../base/operator.ts';
import { groupsOf } from '../_groups.ts';
import { listOf } from '../_list.ts';
import { inSlices } from '../_slices.ts';

export default defineOperator({
  title: 'Group',
  doc: 'Groups the items of a list by a common key. Groups come in the order of their first items. For sums or counts of each group use Aggregate.',
  icon: 'group',
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
