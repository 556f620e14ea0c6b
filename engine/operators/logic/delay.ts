import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { reading } from '../_record.ts';

export default defineOperator({
  title: 'Delay',
  doc: 'Waits, then passes its input on. The wait ends at once when the run is cancelled.',
  icon: 'timer',
  summary: '{ms|duration}',
  synonyms: 'wait, sleep, pause, timeout, delay',
  params: z.object({
    ms: z
      .number()
      .min(0)
      .max(86_400_000)
      .default(1000)
      .describe('How long to wait, in milliseconds; at most a day.')
      .meta({ title: 'Time' }),
  }),
  inputs: { in: input({ doc: 'Any value.' }) },
  outputs: { out: output({ doc: 'The input, unchanged.' }) },
  infer: { outputs: { out: { input: 'in' } } },
  effects: 'read',
  lift: true,
  examples: [{ title: 'A short breath', params: { ms: 1 }, inputs: { in: 'x' }, outputs: { out: 'x' } }],
  async run(call) {
    await call.sleep(call.params.ms);
    return reading(() => settled(call.input));
  },
});

/** An async function awaits a returned value that has a `then`; data never has one. */
function settled<T>(value: T): T {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function') return value;
  throw new WeftError('bad_input', 'The input is a promise, not a value.');
}
