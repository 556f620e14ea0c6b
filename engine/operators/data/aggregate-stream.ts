import { defineOperator, input } from '../../base/operator.ts';
import { aggregateOutputs, aggregateParams, aggregateTypes, Groups } from '../_aggregates.ts';
import { reading } from '../_record.ts';
import { forEachItem } from '../_streams.ts';

export default defineOperator({
  title: 'Aggregate stream',
  doc: 'Counts the items of a stream, or computes sums, averages, smallest and largest values: of all items, or of each group. Only the results are kept, so a stream may have any number of items.',
  icon: 'sigma',
  summary: '{fields: {as}[ of {of}] → {name}}[ by {by}]',
  synonyms: 'running sum, count stream, statistics of stream',
  params: aggregateParams,
  inputs: { in: input<AsyncIterable<unknown>>({ kind: 'stream', doc: 'A stream.' }) },
  outputs: aggregateOutputs,
  infer: aggregateTypes({ input: 'in' }),
  effects: 'pure',
  examples: [
    {
      title: 'Of all items',
      params: {
        fields: [
          { name: 'orders', as: 'count' },
          { name: 'total', as: 'sum', of: '{{ item.price }}' },
        ],
      },
      inputs: { in: [{ price: 3 }, { price: 4 }] },
      outputs: { out: { orders: 2, total: 7 } },
    },
    {
      title: 'Of each group',
      params: { by: '{{ item.city }}', fields: [{ name: 'oldest', as: 'max', of: '{{ item.age }}' }] },
      inputs: {
        in: [
          { city: 'London', age: 20 },
          { city: 'Bern', age: 50 },
          { city: 'London', age: 30 },
        ],
      },
      outputs: {
        out: [
          { key: 'London', oldest: 30 },
          { key: 'Bern', oldest: 50 },
        ],
      },
    },
    {
      title: 'A text has no sum',
      params: { fields: [{ name: 'total', as: 'sum' }] },
      inputs: { in: [1, '2'] },
      error: 'bad_input',
    },
  ],
  async run({ input: stream, params, signal }) {
    const groups = new Groups(params);
    await forEachItem(stream, signal, (item) => reading(() => groups.add(item)));
    return groups.result();
  },
});
