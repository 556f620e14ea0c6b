import { z } from 'zod';
import { defineOperator, manyInput, output, toText, WeftError } from '../../base/operator.ts';
import { MAX_TEXT } from '../_limits.ts';
import { listOf } from '../_list.ts';
import { reading } from '../_record.ts';

export default defineOperator({
  title: 'Join texts',
  doc: 'Joins texts with a separator: the items of a list, or the values of several edges in edge order. Other values are written as in templates.',
  icon: 'between-horizontal-start',
  summary: 'with {separator|quoted}',
  synonyms: 'concatenate, concat, implode, combine texts',
  params: z.object({
    separator: z.string().default('\n').describe('The separator between texts; by default a line break.'),
  }),
  inputs: { in: manyInput('any', { doc: 'Texts, lists of texts, or other values.' }) },
  outputs: { out: output({ doc: 'The whole text.', schema: z.string() }) },
  effects: 'pure',
  examples: [
    {
      title: 'A list',
      params: { separator: ', ' },
      inputs: { in: [['a', 'b', 'c']] },
      outputs: { out: 'a, b, c' },
    },
    {
      title: 'Several edges, one of them with a list',
      params: { separator: ' ' },
      inputs: { in: ['one', ['two', 3], null] },
      outputs: { out: 'one two 3 ' },
    },
  ],
  run({ params, input: values }) {
    const parts: string[] = [];
    let size = 0;
    for (const value of reading(() => itemsOf(values))) {
      const part = reading(() => toText(value));
      size += part.length + params.separator.length;
      if (size > MAX_TEXT)
        throw new WeftError('value_too_large', `The text would be longer than ${MAX_TEXT} characters.`);
      parts.push(part);
    }
    return parts.join(params.separator);
  },
});

/** The values, with nested lists flattened. */
function itemsOf(values: readonly unknown[]): unknown[] {
  const items: unknown[] = [];
  for (const value of values) {
    if (!Array.isArray(value)) items.push(value);
    // By index, and at most the limit: a sparse list can have any length.
    else for (let i = 0, list = listOf(value); i < list.length; i++) items.push(list[i]);
  }
  return items;
}
