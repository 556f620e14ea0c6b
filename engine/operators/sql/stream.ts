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
  title: 'Stream from a database',
  doc: 'Reads rows with SQL one by one, by a cursor, so that there may be any number of them. The next ones are read when they are needed.',
  icon: 'database',
  summary: '{sql|sql}',
  synonyms: 'cursor, large query, stream rows',
  params: z.object({
    connection: connectionParam,
    sql: statementParam,
    params: valuesParam,
    bytes: bytesParam,
    timeoutMs: limitParams.timeoutMs,
  }),
  options: { Result: ['bytes'], Limits: ['timeoutMs'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions in `params` read it as `input`.' }) },
  outputs: { out: output({ doc: 'The rows, by the names of their columns.', kind: 'stream' }) },
  infer: { outputs: { out: rowRule } },
  effects: 'read',
  examples: [customersExample],
  async run(call) {
    const params = await withFiles(call, call.params.params);
    return call.service('sql').stream({ ...call.params, params }, call.asker, call.signal);
  },
});
