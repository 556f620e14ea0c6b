import { z } from 'zod';
import { defineOperator, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'Input',
  doc: 'Puts a fixed value, or the value of an expression, into the flow. It needs no edge to it: it runs when a node that uses its value does.',
  icon: 'log-in',
  summary: '{value}',
  synonyms: 'constant, inject, fixed value, test data, number, string, value, const',
  purpose: 'data',
  params: z.object({
    value: z
      .unknown()
      .default(null)
      .describe('The value: any JSON, with expressions where you like.')
      .meta({ widget: 'value' }),
  }),
  inputs: {},
  outputs: { out: output({ doc: 'The value.' }) },
  infer: { outputs: { out: { param: 'value' } } },
  effects: 'pure',
  examples: [
    { title: 'A fixed list', params: { value: ['red', 'green'] }, outputs: { out: ['red', 'green'] } },
    { title: 'Worked out', params: { value: { total: '{{ 2 * 21 }}' } }, outputs: { out: { total: 42 } } },
  ],
  run: ({ params }) => params.value,
});
