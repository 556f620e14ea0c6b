import { z } from 'zod';
import { defineOperator, input, lazy, type Lazy, output } from '../../base/operator.ts';
import { ITEMS_A_STEP, listOf } from '../_list.ts';
import { inSlices } from '../_slices.ts';

export default defineOperator({
  title: 'Filter',
  doc: 'Keeps the items of a list for which a condition holds, in their order. For a stream use Transform stream.',
  icon: 'funnel',
  summary: '{condition}',
  synonyms: 'where, select rows, keep, reject, remove items, condition on items',
  params: z.object({
    condition: lazy(
      'An expression over `item` and `index`; the item is kept if its value is truthy (not 0, "", null or false).',
    ).meta({ widget: 'expression' }),
  }),
  inputs: { in: input({ doc: 'A list.', schema: z.array(z.unknown()) }) },
  outputs: { out: output({ doc: 'The items that are kept.', schema: z.array(z.unknown()) }) },
  infer: { outputs: { out: { array: { itemOf: { input: 'in' } } } }, item: { itemOf: { input: 'in' } } },
  effects: 'pure',
  examples: [
    {
      title: 'Those of age',
      params: { condition: '{{ item.age >= 18 }}' },
      inputs: {
        in: [
          { name: 'Ada', age: 36 },
          { name: 'Tim', age: 9 },
        ],
      },
      outputs: { out: [{ name: 'Ada', age: 36 }] },
    },
    {
      title: 'Every second one',
      params: { condition: '{{ index % 2 === 0 }}' },
      inputs: { in: ['a', 'b', 'c'] },
      outputs: { out: ['a', 'c'] },
    },
    { title: 'Not a list', params: { condition: true }, inputs: { in: 'abc' }, error: 'bad_input' },
  ],
  run: (call) => inSlices(call, kept(listOf(call.input), call.params.condition)),
});

function* kept(list: readonly unknown[], condition: Lazy): Generator<undefined, unknown[], undefined> {
  const found: unknown[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (condition({ item, index })) found.push(item);
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return found;
}
