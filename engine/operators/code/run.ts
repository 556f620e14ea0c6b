import { z } from 'zod';
import { defineOperator, literal, optionalInput, output } from '../../base/operator.ts';
import { codeParams } from '../_code.ts';

export default defineOperator({
  title: 'Code',
  doc: 'Runs your own JavaScript or TypeScript in a sandbox and passes on what it returns. The code sees `input`, and `ctx` with log, fetch, secret, file, newFile, state, sleep, hash, uuid, now, random, trigger, vars, item, index, attempt and idempotencyKey; among its globals are Buffer, URL, TextDecoder and crypto. What it throws is final, unless the error has `retryable: true`: then `retry` of the node repeats it.',
  icon: 'code-xml',
  summary: '{source|code}',
  synonyms:
    'code, javascript, typescript, js, script, python, function, function node, custom code, run code, lambda, crypto, hash, sha256, hmac, uuid, date, datetime, date time, execute command',
  params: z.object({
    ...codeParams,
    maxMs: literal(
      z
        .int()
        .min(10)
        .max(900_000)
        .default(10_000)
        .describe(
          'How long a call may take in total, in milliseconds, including time spent waiting for the outside.',
        )
        .meta({ title: 'Time limit' }),
    ),
  }),
  options: { More: ['pure'], Limits: ['cpuMs', 'maxMs'] },
  inputs: { in: optionalInput({ doc: 'Any JSON value; the code gets a copy of it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'The value that the code returns, as JSON; null if it returns nothing. A value without a JSON form (NaN, a Map, an instance of a class) is an error.',
    }),
  },
  effects: 'read',
  readsRun: { param: 'source', words: ['ctx', 'arguments', 'eval'] },
  // Failures of `ctx.fetch` can be temporary.
  retriesBy: { param: 'source', words: ['retryable', 'fetch', 'arguments', 'eval'] },
  lift: true,
  examples: [
    {
      title: 'Add up',
      params: { source: 'return input.items.reduce((sum, item) => sum + item.price * item.count, 0);' },
      inputs: {
        in: {
          items: [
            { price: 2, count: 3 },
            { price: 5, count: 1 },
          ],
        },
      },
      outputs: { out: 11 },
    },
    {
      title: 'An error of its own',
      params: { source: "throw new Error('no such customer');" },
      inputs: { in: 1 },
      error: 'code_failed',
    },
  ],
  run: async (call) => call.service('code').run({ code: call.params, input: call.input, context: call }),
});
