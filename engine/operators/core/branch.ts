import { z } from 'zod';
import { defineOperator, input, lazy, output } from '../../operator.ts';

export default defineOperator({
  title: 'If',
  doc: 'Sends its input on by `then` when the condition holds, else by `else`.',
  icon: 'split',
  params: z.object({ condition: lazy('An expression; its truth decides.') }),
  inputs: { in: input() },
  outputs: { then: output(), else: output() },
  effects: 'pure',
  exclusive: true,
  examples: [],
  run: ({ params, input: value }) => (params.condition() ? { then: value } : { else: value }),
});
