import { z } from 'zod';
import type { TypeRule } from '#shared/type-rule.ts';
import { defineOperator, input, lazy, type Lazy, output } from '../../operator.ts';
import { FUNCTIONS, foldAs, valuesOf } from '../_aggregates.ts';
import { groupsOf } from '../_groups.ts';
import { listOf } from '../_list.ts';
import { FORBIDDEN_FIELD } from '../_record.ts';
import { inSlices } from '../_slices.ts';

const field = z.object({
  name: z
    .string()
    .min(1)
    .max(200)
    .refine((name) => name !== FORBIDDEN_FIELD, `may not be ${FORBIDDEN_FIELD}`)
    .describe('The field of the result.'),
  as: z
    .enum(FUNCTIONS)
    .describe(
      'What to compute. Nulls count for `list`, and for `count` if it has no `of`; otherwise they are left out.',
    ),
  of: lazy('The value to use, an expression over `item` and `index`; the item itself by default.')
    .meta({ widget: 'expression' })
    .optional(),
});

/** Each name once; `key` is reserved for the group's key. */
const fields = z
  .array(field)
  .min(1)
  .max(100)
  .superRefine((list, context) => {
    const seen = new Set(['key']);
    list.forEach(({ name }, i) => {
      if (seen.has(name))
        context.addIssue({ code: 'custom', message: `The name ${name} is taken.`, path: [i, 'name'] });
      seen.add(name);
    });
  });

const item: TypeRule = { itemOf: { input: 'in' } };
/** The value of an item. */
const value = orNull({ entry: { key: 'of', else: item } });
const amount: TypeRule = { schema: { type: 'number' } };

const results: TypeRule = {
  fieldsFrom: {
    entriesIn: 'fields',
    name: 'name',
    by: 'as',
    cases: {
      count: { schema: { type: 'integer' } },
      sum: amount,
      avg: orNull(amount),
      min: value,
      max: value,
      first: value,
      last: value,
      list: { array: value },
    },
  },
};

function orNull(rule: TypeRule): TypeRule {
  return { union: [rule, { schema: { type: 'null' } }] };
}

export default defineOperator({
  title: 'Aggregate',
  doc: 'Counts the items of a list, or computes sums, averages, smallest and largest values: of the whole list, or of each group of items.',
  icon: 'sigma',
  params: z.object({
    fields: fields.describe('The fields of the result.'),
    by: lazy(
      'The key of a group, an expression over `item` and `index`; without it the whole list is one group.',
    )
      .meta({ widget: 'expression' })
      .optional(),
  }),
  inputs: { in: input({ doc: 'A list.', schema: z.array(z.unknown()) }) },
  outputs: {
    out: output({
      doc: 'An object with the fields; with `by`, a list of them, each with its group’s `key`.',
      schema: z.union([z.record(z.string(), z.unknown()), z.array(z.looseObject({ key: z.unknown() }))]),
    }),
  },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'by',
          cases: { absent: results },
          else: { array: { assign: [{ object: { key: orNull({ param: 'by' }) } }, results] } },
        },
      },
    },
    item,
  },
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
  run: (call) => inSlices(call, aggregate(listOf(call.input), call.params)),
});

type Params = { readonly fields: readonly z.output<typeof field>[]; readonly by?: Lazy | undefined };
type Result = Record<string, unknown>;

function* aggregate(
  list: readonly unknown[],
  params: Params,
): Generator<undefined, Result | (Result & { key: unknown })[], undefined> {
  if (params.by === undefined) return yield* fieldsOf(list, params);
  const results: (Result & { key: unknown })[] = [];
  for (const { key, items } of yield* groupsOf(list, params.by)) {
    results.push({ key, ...(yield* fieldsOf(items, params)) });
    yield;
  }
  return results;
}

function* fieldsOf(
  items: readonly unknown[],
  { fields: wanted }: Params,
): Generator<undefined, Result, undefined> {
  const result: Result = {};
  for (const { name, as, of } of wanted) result[name] = foldAs(as, yield* valuesOf(items, of), name);
  return result;
}
