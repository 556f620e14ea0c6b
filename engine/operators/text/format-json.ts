import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { writeJson } from '../_write-json.ts';

export default defineOperator({
  title: 'Format JSON',
  doc: 'Writes a value as JSON text, on one line or indented for people to read.',
  icon: 'code-xml',
  summary: '[indented by {indent|unless:0}]',
  synonyms: 'stringify, to json, serialize, json text',
  params: z.object({
    indent: z.int().min(0).max(10).default(0).describe('Spaces per level; 0 writes everything on one line.'),
  }),
  inputs: { in: input({ doc: 'Any JSON value.' }) },
  outputs: { out: output({ doc: 'The JSON text.', schema: z.string() }) },
  effects: 'pure',
  lift: true,
  examples: [
    { title: 'On one line', inputs: { in: { a: [1, null] } }, outputs: { out: '{"a":[1,null]}' } },
    {
      title: 'Indented',
      params: { indent: 2 },
      inputs: { in: { a: 1 } },
      outputs: { out: '{\n  "a": 1\n}' },
    },
  ],
  run({ params, input: value }) {
    return writeJson(value, params.indent);
  },
});
