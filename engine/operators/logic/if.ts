// oxlint-disable unicorn/no-thenable -- the outputs are named for people; values are data, never functions, and nobody awaits them
import { z } from 'zod';
import { defineOperator, input, lazy, output } from '../../operator.ts';

export default defineOperator({
  title: 'If',
  doc: 'Sends its input on by `then` when the condition holds, else by `else`. What hangs on the other way is skipped.',
  icon: 'split',
  params: z.object({
    condition: lazy(
      'An expression over `input`; its truth decides (0, "", null and false do not hold).',
    ).meta({
      widget: 'expression',
    }),
  }),
  inputs: { in: input({ doc: 'Any value; the condition reads it as `input`.' }) },
  outputs: {
    then: output({ doc: 'The input, when the condition holds.' }),
    else: output({ doc: 'The input, when it does not.' }),
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
