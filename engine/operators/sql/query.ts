import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { withFiles } from './_files.ts';
import {
  bytesParam,
  connectionParam,
  customersExample,
  limitParams,
  rowRule,
  statementParam,
  valuesParam,
} from './_params.ts';

export default defineOperator({
  title: 'Query a database',
  doc: 'Reads rows with SQL, in a transaction that cannot write. Decimals and whole numbers that would lose digits are texts, times are ISO 8601, bytes are base64 (`bytes`). For very many rows use `sql.stream`.',
  icon: 'database',
  summary: '{sql|sql}',
  synonyms:
    'sql, postgres, postgresql, mysql, sqlite, mariadb, database, select, duckdb, db, read rows, supabase',
  params: z.object({
    connection: connectionParam,
    sql: statementParam,
    params: valuesParam,
    result: z
      .enum(['rows', 'first'])
      .default('rows')
      .describe('rows: a list of all rows. first: the first row, or null if there is none.'),
    bytes: bytesParam,
    ...limitParams,
  }),
  options: { Result: ['bytes'], Limits: ['timeoutMs', 'maxRows', 'maxBytes'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions in `params` read it as `input`.' }) },
  outputs: { out: output({ doc: 'The rows by the names of their columns: a list, or the first one.' }) },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'result',
          cases: {
            rows: { array: rowRule },
            first: { union: [rowRule, { schema: { type: 'null' } }] },
          },
          else: { schema: {} },
        },
      },
    },
  },
  effects: 'read',
  examples: [
    customersExample,
    {
      title: 'One of them, by a value of the input',
      params: {
        connection: 'shop',
        sql: 'SELECT id, name FROM customers WHERE city = :city ORDER BY id',
        params: { city: '{{ input.city }}' },
        result: 'first',
      },
      inputs: { in: { city: 'Paris' } },
      outputs: { out: { id: 2, name: 'Émilie' } },
    },
    {
      title: 'A connection that is not there',
      params: { connection: 'other', sql: 'SELECT 1' },
      error: 'connection_missing',
    },
  ],
  async run(call) {
    const { result, ...asked } = call.params;
    const params = await withFiles(call, asked.params);
    const rows = await call.service('sql').query({ ...asked, params }, call.asker, call.signal);
    call.signal.throwIfAborted();
    return result === 'first' ? (rows[0] ?? null) : rows;
  },
});
