import { z } from 'zod';
import { defineOperator, input, lazy, type Lazy, output } from '../../base/operator.ts';
import { ITEMS_A_STEP, listOf } from '../_list.ts';
import { compareRanks, type Rank, rankOf } from '../_order.ts';
import { inSlices } from '../_slices.ts';
import { sortedPlaces } from '../_sort.ts';

const sortKey = z.object({
  value: lazy('The key to sort by, an expression over `item` and `index`; the item itself by default.')
    .meta({ widget: 'expression' })
    .optional(),
  direction: z
    .enum(['ascending', 'descending'])
    .default('ascending')
    .describe('Smallest first, or largest first.'),
  ignoreCase: z.boolean().default(false).describe('Whether texts are compared in lower case.'),
});

export default defineOperator({
  title: 'Sort',
  doc: 'Sorts the items of a list by one key or several: numbers by size, texts by their characters (the same in every country), false before true. Items without a value come last; equal ones keep their order.',
  icon: 'arrow-down-a-z',
  summary: '{by: [{value}, ]{direction}}',
  synonyms: 'order, order by, rank, sort items',
  params: z.object({
    by: z
      .array(sortKey)
      .min(1)
      .max(10)
      .default([{ direction: 'ascending', ignoreCase: false }])
      .describe('The keys: the second decides if the first is equal, and so on.'),
  }),
  inputs: { in: input({ doc: 'A list.', schema: z.array(z.unknown()) }) },
  outputs: { out: output({ doc: 'The same items in order.', schema: z.array(z.unknown()) }) },
  infer: { outputs: { out: { array: { itemOf: { input: 'in' } } } }, item: { itemOf: { input: 'in' } } },
  effects: 'pure',
  examples: [
    { title: 'Numbers', inputs: { in: [10, 9, 1] }, outputs: { out: [1, 9, 10] } },
    {
      title: 'By two keys',
      params: { by: [{ value: '{{ item.age }}', direction: 'descending' }, { value: '{{ item.name }}' }] },
      inputs: {
        in: [
          { name: 'Tim', age: 9 },
          { name: 'Eve', age: 36 },
          { name: 'Ada', age: 36 },
        ],
      },
      outputs: {
        out: [
          { name: 'Ada', age: 36 },
          { name: 'Eve', age: 36 },
          { name: 'Tim', age: 9 },
        ],
      },
    },
    {
      title: 'Items without a value come last',
      params: { by: [{ value: '{{ item?.n }}', direction: 'descending' }] },
      inputs: { in: [null, { n: 1 }, { n: 2 }] },
      outputs: { out: [{ n: 2 }, { n: 1 }, null] },
    },
    { title: 'Objects have no order', inputs: { in: [{ n: 2 }, { n: 1 }] }, error: 'bad_input' },
  ],
  run: (call) => inSlices(call, sorted(listOf(call.input), call.params.by)),
});

type SortKey = z.output<typeof sortKey>;

function* sorted(
  list: readonly unknown[],
  keys: readonly SortKey[],
): Generator<undefined, unknown[], undefined> {
  const columns: Rank[][] = [];
  for (const key of keys) columns.push(yield* ranks(list, key));
  const compare = (a: number, b: number): number => {
    for (let k = 0; k < columns.length; k++) {
      const column = columns[k] as Rank[];
      const order = compareRanks(column[a] as Rank, column[b] as Rank, keys[k]?.direction === 'descending');
      if (order !== 0) return order;
    }
    return 0;
  };
  const items: unknown[] = [];
  for (const place of yield* sortedPlaces(list.length, compare)) {
    items.push(list[place]);
    if (items.length % ITEMS_A_STEP === 0) yield;
  }
  return items;
}

/** The sort keys of each item. */
function* ranks(
  list: readonly unknown[],
  { value, ignoreCase }: { value?: Lazy | undefined; ignoreCase: boolean },
): Generator<undefined, Rank[], undefined> {
  const found: Rank[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const rank = rankOf(value ? value({ item, index }) : item);
    found.push(ignoreCase && typeof rank === 'string' ? rank.toLowerCase() : rank);
    if (index % ITEMS_A_STEP === 0) yield;
  }
  return found;
}
