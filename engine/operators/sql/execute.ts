import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import type { SqlStatement } from '../../base/sql-service.ts';
import { hasFile, withFiles } from './_files.ts';
import { connectionParam, limitParams, changeParam, valuesParam } from './_params.ts';

export default defineOperator({
  title: 'Change a database',
  doc: 'Executes one SQL statement that changes something, once, or once for each of a list of values. With `each` all take effect or none.',
  icon: 'database-zap',
  summary: '{sql|sql}',
  synonyms:
    'insert, update, delete, upsert, write database, postgres insert, insert row, mysql insert, execute sql, add row',
  params: z.object({
    connection: connectionParam,
    sql: changeParam,
    params: valuesParam,
    each: z
      .array(z.record(z.string(), z.unknown()))
      .max(100_000)
      .optional()
      .describe(
        'A list of objects: the statement is executed with each of them, in one transaction. A value of an item replaces the value of `params` with the same name.',
      )
      .meta({ title: 'Once for each item of', initial: '{{ input }}' }),
    ...limitParams,
  }),
  options: { Parameters: ['each'], Limits: ['timeoutMs', 'maxRows', 'maxBytes'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions in `params` read it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'How many rows have changed, and what the statement returns (`RETURNING`).',
      schema: z.strictObject({ count: z.int(), rows: z.array(z.record(z.string(), z.unknown())) }),
    }),
  },
  effects: 'write',
  examples: [
    {
      title: 'Add a customer',
      params: {
        connection: 'shop',
        sql: 'INSERT INTO customers (name, city) VALUES (:name, :city)',
        params: { name: '{{ input.name }}', city: 'Rome' },
      },
      inputs: { in: { name: 'Laura' } },
      outputs: { out: { count: 1, rows: [] } },
    },
    {
      title: 'Add several, all or none',
      params: {
        connection: 'shop',
        sql: 'INSERT INTO customers (name, city) VALUES (:name, :city)',
        params: { city: 'Rome' },
        each: [{ name: 'Laura' }, { name: '{{ input.name }}' }],
      },
      inputs: { in: { name: 'Maria' } },
      outputs: { out: { count: 2, rows: [] } },
    },
  ],
  async run(call) {
    const { connection, sql, each, timeoutMs, maxRows, maxBytes } = call.params;
    const params = await withFiles(call, call.params.params);
    const statements: SqlStatement[] = each === undefined ? [{ sql, params }] : [];
    for (const [i, own] of each?.entries() ?? [])
      statements.push({
        sql,
        params: { ...params, ...(hasFile(own) ? await withFiles(call, own) : own) },
        item: i + 1,
      });
    const asked = { connection, statements, timeoutMs, maxRows, maxBytes };
    const service = call.service('sql');
    const changes = statements.length === 0 ? [] : await service.execute(asked, call.asker, call.signal);
    call.signal.throwIfAborted();
    const rows = changes.flatMap((change) => change.rows);
    return { count: changes.reduce((sum, change) => sum + change.count, 0), rows };
  },
});
