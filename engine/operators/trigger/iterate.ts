import { z } from 'zod';
import { defineOperator, literal, output } from '../../base/operator.ts';
import { itemRules } from '../_item-rules.ts';

export default defineOperator({
  title: 'Iterate',
  doc: 'Runs the flow once for each item of a list that is given in the editor, over the API or on the command line. The answer is a list of { input, output } in the order of the items.',
  icon: 'list-restart',
  summary: '{concurrency} at a time',
  synonyms: 'iteration start, batch trigger, for each start',
  params: z.object({
    input: literal(
      z
        .record(z.string(), z.unknown())
        .optional()
        .describe('JSON Schema of one item; items that do not match it fail.')
        .meta({ widget: 'schema' }),
    ),
    ...itemRules(1),
  }),
  options: {
    Items: ['concurrency', 'maxItems'],
    Errors: ['onItemError', 'attempts', 'retryDelayMs', 'itemTimeoutMs'],
  },
  inputs: {},
  outputs: { out: output({ doc: 'The item that this run was started with.' }) },
  infer: { outputs: { out: { schemaIn: 'input' } } },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'Four at a time, twice each',
      params: { concurrency: 4, attempts: 2 },
      outputs: { out: { city: 'Oslo' } },
    },
  ],
});
