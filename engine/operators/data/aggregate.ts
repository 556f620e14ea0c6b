import { z } from 'zod';
import { defineOperator, input } from '../../base/operator.ts';
import { aggregateOutputs, aggregateParams, aggregateTypes, Groups } from '../_aggregates.ts';
import { ITEMS_A_STEP, listOf } from '../_list.ts';
import { inSlices } from '../_slices.ts';

export default defineOperator({
  title: 'Aggregate',
  doc: 'Counts the items of a list, or computes sums, averages, smallest and largest values: of the whole list, or of each group of items.',
  icon: 'sigma',
  summary: '{fields: {as}[ of {of}] → {name}}[ by {by}]',
  synonyms: 'summarize, sum, count, average, min, max, statistics, pivot, totals, math',
  params: aggregateParams,
  inputs: { in: input({ doc: 'A list.', schema: z.array(z.unknown()) }) },
  outputs: aggregateOutputs,
  infer: aggregateTypes({ itemOf: { input: 'in' } }),
  effects: 'pure',
  examples: [
    {
      title: 'Of the whole list',
      params: {
        fields: [
          { name: 'orders', as: 'count' },
          { name: 'total', as: 'sum', of: '{{ item.price }}' },
          { name: 'dearest', as: 'max', of: '{{ item.price }}' },
        ],
      },
      inputs: { in: [{ price: 3 }, { price: 4 }] },
      outputs: { out: { orders: 2, total: 7, dearest: 4 } },
    },
    {
      title: 'Of each group',
      params: {
        by: '{{ item.city }}',
        fields: [{ name: 'average', as: 'avg', of: '{{ item.age }}' }],
      },
      inputs: {
        in: [
          { city: 'London', age: 20 },
          { city: 'Bern', age: 50 },
          { city: 'London', age: 30 },
        ],
      },
      outputs: {
        out: [
          { key: 'London', average: 25 },
          { key: 'Bern', average: 50 },
        ],
      },
    },
    {
      title: 'Of nothing',
      params: {
        fields: [
          { name: 'total', as: 'sum' },
          { name: 'average', as: 'avg' },
        ],
      },
      inputs: { in: [] },
      outputs: { out: { total: 0, average: null } },
    },
    {
      title: 'A text has no sum',
      params: { fields: [{ name: 'total', as: 'sum' }] },
      inputs: { in: [1, '2'] },
      error: 'bad_input',
    },
  ],
  run: (call) => inSlices(call, ofList(listOf(call.input), new Groups(call.params))),
});

function* ofList(
  list: readonly unknown[],
  groups: Groups,
): Generator<undefined, ReturnType<Groups['result']>, undefined> {
  for (let index = 0; index < list.length; index++) {
    groups.add(list[index]);
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return groups.result();
}
