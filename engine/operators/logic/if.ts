// oxlint-disable unicorn/no-thenable -- the outputs are named for people; values are data, never functions, and nobody awaits them
import { z } from 'zod';
import { defineOperator, input, lazy, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'If',
  doc: 'Sends its input to `then` if the condition holds, otherwise to `else`. The nodes after the other output are skipped.',
  icon: 'split',
  summary: '{condition}',
  synonyms: 'condition, if else, branch, true false, boolean, conditional, decision',
  params: z.object({
    condition: lazy(
      'An expression over `input`; the condition holds if its value is truthy (not 0, "", null or false).',
    ).meta({
      widget: 'expression',
    }),
  }),
  inputs: { in: input({ doc: 'Any value; the condition reads it as `input`.' }) },
  outputs: {
    then: output({ doc: 'The input, if the condition holds.' }),
    else: output({ doc: 'The input, if it does not.' }),
  },
  infer: { outputs: { then: { input: 'in' }, else: { input: 'in' } }, evaluated: ['condition'] },
  effects: 'pure',
  exclusive: true,
  examples: [
    {
      title: 'Grown up',
      params: { condition: '{{ input.age >= 18 }}' },
      inputs: { in: { age: 20 } },
      outputs: { then: { age: 20 } },
    },
    {
      title: 'Not yet',
      params: { condition: '{{ input.age >= 18 }}' },
      inputs: { in: { age: 9 } },
      outputs: { else: { age: 9 } },
    },
  ],
  run: ({ params, input: value }) => (params.condition() ? { then: value } : { else: value }),
});
