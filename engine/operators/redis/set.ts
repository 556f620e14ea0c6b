import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { writeJson } from '../_write-json.ts';
import { connectionParam, formatParam, keyParam, timeoutParam } from './_params.ts';

export default defineOperator({
  title: 'Store in Redis',
  doc: 'Stores a value under a key in Redis, always or only if the key has, or has not, a value; it may expire by itself.',
  icon: 'database-zap',
  summary: '{key}[ for {ttlMs|duration}]',
  synonyms: 'redis, cache set, redis write, publish redis',
  params: z.object({
    connection: connectionParam,
    key: keyParam,
    value: z.unknown().default('{{ input }}').describe('The value to store.').meta({ widget: 'value' }),
    format: formatParam.describe('text: a text as it is, anything else as JSON. json: always as JSON.'),
    ttlMs: z
      .int()
      .min(1)
      .max(10 * 365 * 86_400_000)
      .optional()
      .describe('The value is deleted after this time, in milliseconds; empty means never.')
      .meta({ title: 'Keep for' }),
    when: z
      .enum(['always', 'absent', 'present'])
      .default('always')
      .describe('absent: only if the key has no value. present: only if it has one.'),
    timeoutMs: timeoutParam,
  }),
  options: { Value: ['format', 'when'], Limits: ['timeoutMs'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'Whether the value was stored; false if `when` did not hold.',
      schema: z.strictObject({ stored: z.boolean() }),
    }),
  },
  effects: 'write',
  idempotent: true,
  lift: true,
  examples: [
    {
      title: 'Remember a customer for an hour',
      params: {
        connection: 'cache',
        key: 'customer:{{ input.id }}',
        value: '{{ input }}',
        ttlMs: 3_600_000,
      },
      inputs: { in: { id: 7, name: 'Ada' } },
      outputs: { out: { stored: true } },
    },
    {
      title: 'Only the first one stores it',
      params: { connection: 'cache', key: 'greeting', value: 'Hi', when: 'absent' },
      outputs: { out: { stored: false } },
    },
  ],
  async run(call) {
    const { connection, key, value, format, ttlMs, when, timeoutMs } = call.params;
    const text = typeof value === 'string' && format === 'text' ? value : writeJson(value);
    const given = { key, value: text, when, ...(ttlMs !== undefined && { ttlMs }) };
    const asked = { connection, kind: 'redis', action: 'set', given, timeoutMs };
    const stored = await call.service('connections').ask(asked, call.asker, call.signal);
    call.signal.throwIfAborted();
    return { stored: stored === true };
  },
});
