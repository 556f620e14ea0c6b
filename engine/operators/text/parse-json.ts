import { z } from 'zod';
import { defineOperator, input, output } from '../../operator.ts';
import { readJson } from '../_read-json.ts';

export default defineOperator({
  title: 'Parse JSON',
  doc: 'Reads a JSON text and passes the value on. A text that is not valid JSON is an error that says where it breaks.',
  icon: 'braces',
  params: z.object({}),
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
    { title: 'A comma too many', inputs: { in: '[1, 2,]' }, error: 'bad_input' },
  ],
  run({ input: text }) {
    return readJson(text);
  },
});
