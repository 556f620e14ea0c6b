import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { connectionParam } from './_params.ts';
import { tablesText } from './_proposal.ts';

const column = z.object({ name: z.string(), type: z.string(), key: z.boolean() });
const table = z.object({
  parts: z.array(z.string()),
  columns: z.array(column),
  links: z.array(z.object({ column: z.string(), to: z.string() })),
});

export default defineOperator({
  title: 'Find tables',
  doc: 'Finds the tables of a database that a question is probably about, with their columns and links, for a model that writes a statement. `sql.ask` does all of it in one step.',
  icon: 'table-properties',
  summary: '[{connection} · ]best {most}',
  synonyms: 'schema, list tables, describe tables, find columns',
  params: z.object({
    connection: connectionParam,
    most: z.int().min(1).max(200).default(12).describe('Most tables.'),
  }),
  options: { Limits: ['most'] },
  inputs: { in: input({ doc: 'A question.', schema: z.string() }) },
  outputs: {
    out: output({
      doc: 'The tables, the best first; `text` has them for a prompt.',
      schema: z.object({
        question: z.string(),
        dialect: z.string(),
        tables: z.array(table),
        others: z.int(),
        text: z.string(),
      }),
    }),
  },
  effects: 'read',
  lift: true,
  examples: [
    {
      title: 'A small database is told whole',
      params: { connection: 'shop' },
      inputs: { in: 'Who lives in London?' },
      outputs: {
        out: {
          question: 'Who lives in London?',
          dialect: 'SQLite',
          tables: [
            {
              parts: ['customers'],
              columns: [
                { name: 'id', type: 'TEXT', key: true },
                { name: 'name', type: 'TEXT', key: false },
                { name: 'city', type: 'TEXT', key: false },
              ],
              links: [],
            },
          ],
          others: 0,
          text: '[\n {\n  "table": "customers",\n  "columns": [\n   "id TEXT key",\n   "name TEXT",\n   "city TEXT"\n  ]\n }\n]',
        },
      },
    },
    {
      title: 'A connection that is not there',
      params: { connection: 'other' },
      inputs: { in: 'x' },
      error: 'connection_missing',
    },
    { title: 'Not a question', params: { connection: 'shop' }, inputs: { in: 5 }, error: 'bad_input' },
  ],
  async run(call) {
    if (typeof call.input !== 'string') throw new WeftError('bad_input', 'The input is not a text.');
    const question = call.input.slice(0, 10_000);
    const scheme = await call.service('data').scheme({ ...call.params, question }, call.asker, call.signal);
    const tables = scheme.tables.map(({ parts, columns, links }) => ({
      parts: [...parts],
      columns: columns.map((one) => ({ ...one })),
      links: links.map((one) => ({ ...one })),
    }));
    return { question, ...scheme, tables, text: tablesText(tables) };
  },
});
