import { z } from 'zod';
import { defineOperator, literal, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'Manual start',
  doc: 'Starts the flow from the editor or the command line, with an input that is entered there. Nothing outside can call it.',
  icon: 'play',
  summary: 'started by hand',
  synonyms: 'start, manual trigger, button, click, run, begin, when clicking, on click, inject',
  params: z.object({
    input: literal(
      z
        .record(z.string(), z.unknown())
        .optional()
        .describe('JSON Schema of the input; the editor makes its start form from it.')
        .meta({ widget: 'schema' }),
    ),
  }),
  inputs: {},
  outputs: { out: output({ doc: 'The input that the run was started with.' }) },
  infer: { outputs: { out: { schemaIn: 'input' } } },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'A start form with one field',
      params: { input: { type: 'object', properties: { city: { type: 'string' } } } },
      outputs: { out: { city: 'Oslo' } },
    },
  ],
});
