import { z } from 'zod';
import { defineOperator, input, lazy, output, toText, WeftError } from '../../base/operator.ts';
import { reading } from '../_record.ts';

export default defineOperator({
  title: 'Assert',
  doc: 'Passes its input on if a condition holds, otherwise ends the run with the error `assertion_failed`. Use it for what must be true, so that a mistake shows where it is made.',
  icon: 'shield-check',
  summary: '{condition}',
  synonyms: 'check, validate, guard, expect, must, schema validator',
  params: z.object({
    condition: lazy(
      'An expression over `input`; the condition holds if its value is truthy (not 0, "", null or false).',
    ).meta({ widget: 'expression' }),
    message: lazy('The message if it does not hold, a text with expressions; evaluated only then.')
      .meta({ widget: 'textarea' })
      .optional(),
  }),
  inputs: { in: input({ doc: 'Any value; the condition reads it as `input`.' }) },
  outputs: { out: output({ doc: 'The input, unchanged.' }) },
  infer: { outputs: { out: { input: 'in' } }, evaluated: ['condition'] },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'It holds',
      params: { condition: '{{ input.total >= 0 }}' },
      inputs: { in: { total: 3 } },
      outputs: { out: { total: 3 } },
    },
    {
      title: 'It does not',
      params: { condition: '{{ input.total >= 0 }}', message: 'The total is {{ input.total }}.' },
      inputs: { in: { total: -1 } },
      error: 'assertion_failed',
    },
  ],
  run({ params: { condition, message }, input: value }) {
    if (condition()) return value;
    const text = message ? reading(() => toText(message())) : 'The condition does not hold.';
    throw new WeftError('assertion_failed', text, { field: 'params.condition' });
  },
});
