import { z } from 'zod';
import { defineOperator, optionalInput, output, WeftError } from '../../base/operator.ts';
import { readJson } from '../_read-json.ts';
import { connectionParam, formatParam, keyParam, timeoutParam } from './_params.ts';

export default defineOperator({
  title: 'Read from Redis',
  doc: 'Reads the value of a key from Redis, as a text or as JSON. Without a value it passes the fallback on.',
  icon: 'database',
  summary: '{key}',
  synonyms: 'redis, cache get, key value, redis read',
  params: z.object({
    connection: connectionParam,
    key: keyParam,
    format: formatParam.describe(
      'text: the value as it is stored. json: the value that its JSON describes; whole numbers that would lose digits are texts.',
    ),
    fallback: z
      .unknown()
      .default(null)
      .describe('The value to return if nothing is stored under the key.')
      .meta({ widget: 'value' }),
    timeoutMs: timeoutParam,
    maxBytes: z
      .int()
      .min(1)
      .max(100_000_000)
      .default(10_000_000)
      .describe('Largest value, in bytes; a larger one is an error.'),
  }),
  options: { Value: ['format'], Limits: ['timeoutMs', 'maxBytes'] },
  inputs: { in: optionalInput({ doc: 'Any value, which starts the read; the key may depend on it.' }) },
  outputs: { out: output({ doc: 'The stored value, or the fallback.' }) },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'format',
          cases: { text: { union: [{ schema: { type: 'string' } }, { param: 'fallback' }] } },
          else: { schema: {} },
        },
      },
    },
  },
  effects: 'read',
  lift: true,
  examples: [
    {
      title: 'A text',
      params: { connection: 'cache', key: 'greeting' },
      outputs: { out: 'Hello' },
    },
    {
      title: 'JSON, by the input',
      params: { connection: 'cache', key: 'user:{{ input }}', format: 'json' },
      inputs: { in: 7 },
      outputs: { out: { name: 'Ada', visits: 3 } },
    },
    {
      title: 'Nothing is stored',
      params: { connection: 'cache', key: 'visits', fallback: 0 },
      outputs: { out: 0 },
    },
    {
      title: 'No JSON',
      params: { connection: 'cache', key: 'greeting', format: 'json' },
      error: 'bad_answer',
    },
    {
      title: 'A connection that is not there',
      params: { connection: 'other', key: 'greeting' },
      error: 'connection_missing',
    },
  ],
  async run(call) {
    const { connection, key, format, fallback, timeoutMs, maxBytes } = call.params;
    const asked = { connection, kind: 'redis', action: 'get', given: { key, maxBytes }, timeoutMs };
    const value = await call.service('connections').ask(asked, call.asker, call.signal);
    call.signal.throwIfAborted();
    if (value === null) return fallback;
    return format === 'json' ? parsed(value, key) : value;
  },
});

function parsed(value: unknown, key: string): unknown {
  try {
    return readJson(value, () => {});
  } catch (error) {
    if (!(error instanceof WeftError) || error.code !== 'bad_input') throw error;
    throw new WeftError('bad_answer', `The value of ${key}: ${error.message}`, { data: error.data });
  }
}
