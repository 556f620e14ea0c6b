import { z } from 'zod';
import { defineOperator, input, WeftError } from '../../operator.ts';

export default defineOperator({
  title: 'Stop with an error',
  doc: 'Ends the run with an error of your own, which the caller gets as the code `stopped` with your message. Put it behind an If or Switch.',
  icon: 'octagon-x',
  params: z.object({
    message: z
      .string()
      .default('The flow stopped.')
      .describe('What to tell the caller, a text with expressions.')
      .meta({ widget: 'textarea' }),
    code: z
      .string()
      .optional()
      .describe('A code of your own that goes with it, for callers that read it by machine.'),
  }),
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {},
  effects: 'pure',
  sink: true,
  examples: [
    {
      title: 'Too young',
      params: { message: 'You must be 18, not {{ input.age }}.', code: 'too_young' },
      inputs: { in: { age: 9 } },
      error: 'stopped',
    },
  ],
  run({ params }) {
    const { message, code } = params;
    throw new WeftError('stopped', message, code === undefined ? {} : { data: { code } });
  },
});
