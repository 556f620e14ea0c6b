import { z } from 'zod';
import { periodText, rateFields } from '#shared/rate.ts';
import { type Call, defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { duration, durationMs } from '../_duration.ts';
import { reading } from '../_record.ts';

const params = z.object({
  ...rateFields,
  key: z
    .string()
    .max(500)
    .default('')
    .describe(
      'The key of the limit, a text with expressions such as {{ input.customer }}: each value has a limit of its own.',
    ),
  scope: z
    .enum(['node', 'flow', 'shared'])
    .default('node')
    .describe(
      'Whether this node has the limit alone, shares it with the gates of this flow that have the same key, or with those of all flows.',
    ),
  mode: z
    .enum(['wait', 'refuse'])
    .default('wait')
    .describe('Whether it waits for its turn, or fails at once with `rate_limited`.'),
  maxWait: duration
    .default('1m')
    .describe(
      'With `wait`, how long it waits at most: milliseconds, or 90s, 2h 30m, 3d. A turn that would come later is refused at once.',
    )
    .meta({ when: { param: 'mode', is: ['wait'] } }),
});

export default defineOperator({
  title: 'Rate gate',
  doc: 'Passes its input on, but only so many times in a period, over all runs. Whoever comes too early waits for a turn, in order of arrival, or is refused.',
  icon: 'traffic-cone',
  summary: '{limit} per {per}',
  synonyms: 'throttle, rate limit, limiter, quota, debounce',
  params,
  options: { Limits: ['burst', 'maxWait'], Scope: ['key', 'scope'] },
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The input, unchanged.' }) },
  infer: { outputs: { out: { input: 'in' } } },
  effects: 'wait',
  brief: true,
  lift: true,
  examples: [
    {
      title: 'Two at once, then one every half second',
      params: { limit: 2, per: 'second', burst: 2 },
      inputs: { in: 'x' },
      outputs: { out: 'x' },
    },
    {
      title: 'A customer who has no turn left is refused',
      params: { limit: 1, per: 'hour', key: '{{ input.customer }}', scope: 'shared', mode: 'refuse' },
      inputs: { in: { customer: 'busy' } },
      error: 'rate_limited',
    },
  ],
  async run(call) {
    const { mode, maxWait, limit, per, burst } = call.params;
    const rates = call.service('rates');
    const turn = { name: nameOf(call), rate: { limit, per, burst }, by: call.idempotencyKey };
    const mayWaitMs = mode === 'refuse' ? 0 : durationMs(maxWait, 'params.maxWait');
    const { granted, waitMs } = await rates.take({ ...turn, mayWaitMs });
    if (!granted) throw refused(call.params, waitMs);
    try {
      call.signal.throwIfAborted();
      if (waitMs > 0) await call.wait({ kind: 'time', until: call.now() + waitMs });
    } catch (error) {
      rates.giveBack(turn);
      throw error;
    }
    return reading(() => settled(call.input));
  },
});

function nameOf({
  params: { scope, key },
  asker: { flow, node },
}: Pick<Call<z.output<typeof params>>, 'params' | 'asker'>) {
  if (scope === 'shared') return JSON.stringify([key]);
  return JSON.stringify(scope === 'flow' ? [flow, key] : [flow, node, key]);
}

function refused({ limit, per, mode }: z.output<typeof params>, waitMs: number): WeftError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const why = mode === 'refuse' ? 'there is no turn left' : 'the next turn comes too late';
  return new WeftError(
    'rate_limited',
    `Only ${limit} may pass in ${periodText(per)}, and ${why}; try again in ${seconds} s.`,
    {
      data: { retryAfter: seconds },
    },
  );
}

/** An async function awaits a returned value that has a `then`; data never has one. */
function settled<T>(value: T): T {
  if (typeof (value as { then?: unknown } | null | undefined)?.then !== 'function') return value;
  throw new WeftError('bad_input', 'The input is a promise, not a value.');
}
