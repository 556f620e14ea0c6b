import { z } from 'zod';
import { chartMarkup, chartText } from '#shared/chat-markup.ts';
import { isRecord } from '#shared/json.ts';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { reading } from '../_record.ts';
import { connectionParam, limitParams } from './_params.ts';
import { type Proposal, proposalIn } from './_proposal.ts';

export default defineOperator({
  title: 'Read with a statement',
  doc: 'Executes a statement that a model has written, behind three walls: it is parsed and only a SELECT with known functions passes, the user of the connection only reads, and the transaction cannot write.',
  icon: 'shield-check',
  summary: '[{connection}]',
  synonyms: 'safe sql, read only sql, run generated sql',
  params: z.object({
    connection: connectionParam,
    ...limitParams,
    maxRows: z.int().min(1).max(10_000).default(50).describe('Further rows are left out.'),
  }),
  options: { Limits: ['timeoutMs', 'maxRows', 'maxBytes'] },
  inputs: {
    in: input({
      doc: 'A statement; or a model’s answer, or an object, with `sql`, `thoughts` and `display_type`.',
    }),
  },
  outputs: {
    out: output({
      doc: 'The statement, its rows, and what was said about it; no statement has no rows.',
      schema: z.object({
        thoughts: z.string(),
        sql: z.string(),
        type: z.string(),
        rows: z.array(z.record(z.string(), z.unknown())),
        more: z.boolean(),
      }),
    }),
    text: output({ doc: 'The statement and its rows as Markdown.', schema: z.string() }),
    block: output({
      doc: 'What was said, and the rows as the pages of DB-GPT draw them (`<chart-view>`).',
      schema: z.string(),
    }),
  },
  effects: 'read',
  examples: [
    {
      title: 'What a model has answered',
      params: { connection: 'shop' },
      inputs: {
        in: {
          text: '{"thoughts": "Three.", "sql": "SELECT id FROM customers", "display_type": "response_table"}',
        },
      },
      outputs: {
        out: {
          thoughts: 'Three.',
          sql: 'SELECT id FROM customers',
          type: 'response_table',
          rows: [
            { id: 1, name: 'Ada', city: 'London' },
            { id: 2, name: 'Émilie', city: 'Paris' },
            { id: 3, name: 'Mary', city: 'London' },
          ],
          more: false,
        },
        text: '```sql\nSELECT id FROM customers\n```\n\n| id | name | city |\n| --- | --- | --- |\n| 1 | Ada | London |\n| 2 | Émilie | Paris |\n| 3 | Mary | London |',
        block:
          'Three.\n\n<chart-view content="{&quot;type&quot;: &quot;response_table&quot;, &quot;sql&quot;: &quot;SELECT id FROM customers&quot;, &quot;data&quot;: [{&quot;id&quot;: 1, &quot;name&quot;: &quot;Ada&quot;, &quot;city&quot;: &quot;London&quot;}, {&quot;id&quot;: 2, &quot;name&quot;: &quot;Émilie&quot;, &quot;city&quot;: &quot;Paris&quot;}, {&quot;id&quot;: 3, &quot;name&quot;: &quot;Mary&quot;, &quot;city&quot;: &quot;London&quot;}]}"></chart-view>',
      },
    },
    {
      title: 'Words alone',
      params: { connection: 'shop' },
      inputs: { in: 'I do not know.' },
      outputs: {
        out: { thoughts: 'I do not know.', sql: '', type: 'response_table', rows: [], more: false },
        text: 'I do not know.',
        block: 'I do not know.',
      },
    },
    {
      title: 'A connection that is not there',
      params: { connection: 'other' },
      inputs: { in: 'SELECT 1' },
      error: 'connection_missing',
    },
    { title: 'No statement', params: { connection: 'shop' }, inputs: { in: 5 }, error: 'bad_input' },
  ],
  async run(call) {
    const { thoughts, sql, type } = reading(() => proposalOf(call.input));
    if (sql === '') {
      const said = { thoughts, sql, type, rows: [], more: false };
      return { out: said, text: thoughts, block: thoughts };
    }
    const { rows, more } = await call.service('data').read({ ...call.params, sql }, call.asker, call.signal);
    const chart = { type, sql, rows, more };
    return {
      out: { thoughts, ...chart },
      text: chartText(chart).trimStart(),
      block: `${thoughts === '' ? '' : `${thoughts}\n\n`}${chartMarkup(chart)}`,
    };
  },
});

function proposalOf(given: unknown): Proposal {
  if (typeof given === 'string') return proposalIn(given);
  if (isRecord(given) && typeof given['text'] === 'string') return proposalIn(given['text']);
  const { sql, thoughts, display_type } = isRecord(given) ? given : {};
  if (typeof sql !== 'string' && typeof thoughts !== 'string')
    throw new WeftError('bad_input', 'The input has no statement: give a text, or an object with `sql`.');
  return proposalIn(JSON.stringify({ sql, thoughts, display_type }));
}
