import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { readJson } from '../_read-json.ts';

export default defineOperator({
  title: 'Parse JSON',
  doc: 'Parses a JSON text and passes the value on. Invalid JSON is an error that gives the position, and so is a whole number with too many digits.',
  icon: 'braces',
  summary: 'text → value',
  synonyms: 'json, json parser, deserialize, from json, parse',
  params: z.object({
    longNumbers: z
      .enum(['refuse', 'text'])
      .default('refuse')
      .describe('Whole numbers that would lose digits (beyond 2^53): an error, or texts.'),
  }),
  inputs: { in: input({ doc: 'A JSON text.', schema: z.string() }) },
  outputs: { out: output({ doc: 'The value.' }) },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'An object',
      inputs: { in: '{"name": "Ada", "tags": []}' },
      outputs: { out: { name: 'Ada', tags: [] } },
    },
    {
      title: 'A number that would lose digits',
      inputs: { in: '{"id": 9007199254740993}' },
      error: 'bad_input',
    },
    {
      title: 'The same, kept as a text',
      params: { longNumbers: 'text' },
      inputs: { in: '{"id": 9007199254740993, "n": 1}' },
      outputs: { out: { id: '9007199254740993', n: 1 } },
    },
    { title: 'A comma too many', inputs: { in: '[1, 2,]' }, error: 'bad_input' },
  ],
  run({ params, input: text }) {
    return readJson(text, params.longNumbers === 'text' ? () => {} : undefined);
  },
});
