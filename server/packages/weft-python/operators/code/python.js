import { runPython } from '../../lib/call.js';
import { modules } from '../../lib/modules.js';
import { ProcessPool } from '../../lib/pool.js';

const pool = new ProcessPool();
// Nothing of it outlives the server.
process.once('exit', () => pool.close());

/** @type {(kit: any) => import('zod').ZodObject} */
function paramsOf({ literal, z }) {
  return z.object({
    source: literal(
      z
        .string()
        .max(262_144)
        .describe('The code. It can use `input`, `params` and `ctx`; `print` writes to the log of the run.')
        .meta({ title: 'Code', widget: 'code', language: 'python', modules }),
    ),
    params: z
      .record(z.string(), z.unknown())
      .default({})
      .describe(
        'Values for the code, which it reads as `params`; the arguments of `main` are looked up there first.',
      )
      .meta({ title: 'Values' }),
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
  });
}

const examples = [
  {
    title: 'Add up',
    params: { source: "return sum(item['price'] * item['count'] for item in input['items'])" },
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
    title: 'A function',
    params: {
      source: "def main(name, greeting='Hello'):\n    return {'text': f'{greeting}, {name}!'}",
      params: { name: 'Ada' },
    },
    outputs: { out: { text: 'Hello, Ada!' } },
  },
  {
    title: 'An error of its own',
    params: { source: "raise ValueError('no such customer')" },
    inputs: { in: 1 },
    error: 'code_failed',
  },
];

/** `code.python`: Python, in a process of its own for each call. @type {(kit: any) => unknown} */
export default (kit) => {
  const { defineOperator, optionalInput, output } = kit;
  return defineOperator({
    title: 'Python',
    doc: 'Runs your own Python (3.14, with its standard library) in a process of its own and passes on what it returns. The code sees `input`, `params`, and `ctx` with log, fetch, secret, file, new_file, state, sleep, trigger, vars, item, index, attempt and idempotency_key. It returns with `return`, as the result of its function `main`, or in the variable `result`.',
    icon: 'file-code-2',
    summary: '{source|code}',
    synonyms:
      'python, py, script, code, pandas, numpy, custom code, run code, execute code, function, lambda, json, csv, regex, datetime',
    purpose: 'code',
    params: paramsOf(kit),
    inputs: { in: optionalInput({ doc: 'Any JSON value; the code gets a copy of it as `input`.' }) },
    outputs: {
      out: output({
        doc: 'What the code returns, as JSON; null if it returns nothing. A value without a JSON form (NaN, bytes, a date, a set) is an error.',
      }),
    },
    effects: 'read',
    readsRun: { param: 'source', words: ['ctx', 'random', 'time', 'uuid', 'exec', 'eval'] },
    retriesBy: { param: 'source', words: ['retryable', 'fetch', 'exec', 'eval'] },
    lift: true,
    examples,
    run: async (/** @type {import('../../lib/types.js').PythonCall} */ call) => runPython(kit, pool, call),
  });
};
