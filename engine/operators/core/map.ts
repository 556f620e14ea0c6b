import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'Map',
  doc: 'Turns its input into something else with an expression. A stream is mapped item by item.',
  icon: 'square-function',
  summary: '{value}',
  synonyms: 'expression, transform, calculate, compute, change node, jsonata, formula, edit',
  purpose: 'data',
  params: z.object({
    value: z
      .unknown()
      .default('{{ input }}')
      .describe('The new value: an expression over `input`, or any JSON that contains expressions.')
      .meta({ widget: 'value' }),
  }),
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The value of the expression.' }) },
  infer: { outputs: { out: { param: 'value' } } },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'A new object',
      params: { value: { label: '{{ input.name }}', adult: '{{ input.age >= 18 }}' } },
      inputs: { in: { name: 'Ada', age: 36 } },
      outputs: { out: { label: 'Ada', adult: true } },
    },
    {
      title: 'A sum',
      params: { value: '{{ input.a + input.b }}' },
      inputs: { in: { a: 1, b: 2 } },
      outputs: { out: 3 },
    },
    { title: 'Unchanged', inputs: { in: [1, 2] }, outputs: { out: [1, 2] } },
  ],
  run: ({ params }) => params.value,
});
