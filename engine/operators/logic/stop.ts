import { z } from 'zod';
import { defineOperator, input, WeftError } from '../../base/operator.ts';

export default defineOperator({
  title: 'Stop with an error',
  doc: 'Ends the run with your own error, which the caller gets as the code `stopped` with your message. Put it after an If or Switch.',
  icon: 'octagon-x',
  summary: '{message}',
  synonyms:
    'stop and error, try catch, error handling, catch, throw, fail, raise, abort, error, exit, terminate',
  params: z.object({
    message: z
      .string()
      .default('The flow stopped.')
      .describe('The message for the caller, a text with expressions.')
      .meta({ widget: 'textarea' }),
    code: z
      .string()
      .optional()
      .describe('Your own code for the error, for callers that process it automatically.'),
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
