import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { withFiles } from './_files.ts';
import { connectionParam, limitParams, changeParam, valuesParam } from './_params.ts';

export default defineOperator({
  title: 'Database transaction',
  doc: 'Executes several SQL statements in one transaction: all of them take effect, or none.',
  icon: 'layers',
  summary: '{statements: {sql|sql}}',
  synonyms: 'begin commit, atomic, rollback, several statements',
  params: z.object({
    connection: connectionParam,
    statements: z
      .array(z.strictObject({ sql: changeParam, params: valuesParam }))
      .min(1)
      .max(1000)
      .describe('The statements, in order.'),
    ...limitParams,
  }),
  options: { Limits: ['timeoutMs', 'maxRows', 'maxBytes'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions in `params` read it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'For each statement: how many rows have changed, and what it returns.',
      schema: z.array(z.strictObject({ count: z.int(), rows: z.array(z.record(z.string(), z.unknown())) })),
    }),
  },
  effects: 'write',
  examples: [
    {
      title: 'Move a customer, and note it',
      params: {
        connection: 'shop',
        statements: [
          { sql: 'UPDATE customers SET city = :city WHERE id = :id', params: { city: 'Rome', id: 1 } },
          { sql: 'INSERT INTO moves (customer) VALUES (:id)', params: { id: 1 } },
        ],
      },
      outputs: {
        out: [
          { count: 1, rows: [] },
          { count: 1, rows: [] },
        ],
      },
    },
  ],
  async run(call) {
    const { connection, timeoutMs, maxRows, maxBytes } = call.params;
    const statements = [];
    for (const { sql, params } of call.params.statements)
      statements.push({ sql, params: await withFiles(call, params) });
    const asked = { connection, statements, timeoutMs, maxRows, maxBytes };
    const changes = await call.service('sql').execute(asked, call.asker, call.signal);
    call.signal.throwIfAborted();
    return changes;
  },
});
