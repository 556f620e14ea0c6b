import { z } from 'zod';
import { type Call, defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { duration, durationMs } from '../_duration.ts';
import { checkedMs, isoMs } from '../_iso-time.ts';
import { reading } from '../_record.ts';

const params = z.object({
  at: z
    .union([z.number(), z.string().min(1).max(60)])
    .optional()
    .describe(
      'A point in time: 2026-03-01T12:30:00Z (UTC if it has no offset), or milliseconds since 1970. With a time in the past the run continues at once.',
    )
    .meta({ when: { param: 'for', is: [null] } }),
  for: duration
    .optional()
    .describe('In place of `at`, a duration: milliseconds, or 90s, 2h 30m, 3d, 1w.')
    .meta({ when: { param: 'at', is: [null] } }),
});

export default defineOperator({
  title: 'Wait until',
  doc: 'Passes its input on at a point in time, or after a duration, however long. In a durable run the wait outlives restarts.',
  icon: 'hourglass',
  summary: '[until {at}][for {for|duration}]',
  synonyms: 'wait, sleep until, pause, resume later, until a date, wait for',
  params,
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The input, unchanged.' }) },
  infer: { outputs: { out: { input: 'in' } } },
  effects: 'wait',
  examples: [
    {
      title: 'On the first of March',
      params: { at: '2026-03-01T08:00:00+01:00' },
      inputs: { in: 'x' },
      outputs: { out: 'x' },
    },
    { title: 'For two hours', params: { for: '2h' }, inputs: { in: 'x' }, outputs: { out: 'x' } },
    { title: 'No time at all', params: { at: 'tomorrow' }, inputs: { in: 'x' }, error: 'bad_input' },
  ],
  async run(call) {
    const until = timeOf(call);
    if (until > call.now()) await call.wait({ kind: 'time', until });
    return reading(() => settled(call.input));
  },
});

function timeOf(call: Pick<Call<z.output<typeof params>>, 'params' | 'now'>): number {
  const { at, for: howLong } = call.params;
  if (at !== undefined && howLong === undefined) return typeof at === 'number' ? checkedMs(at) : isoMs(at);
  if (at === undefined && howLong !== undefined) return call.now() + durationMs(howLong, 'params.for');
  throw new WeftError('bad_params', 'Give either `at` or `for`, so that it is clear how long to wait.', {
    field: at === undefined ? 'params.at' : 'params.for',
  });
}

/** An async function awaits a returned value that has a `then`; data never has one. */
function settled<T>(value: T): T {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function') return value;
  throw new WeftError('bad_input', 'The input is a promise, not a value.');
}
