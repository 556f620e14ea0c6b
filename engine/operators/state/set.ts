import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { scopeOf, stateKey, stateTtl } from '../_state-key.ts';

export default defineOperator({
  title: 'Store state',
  doc: 'Stores a value under a key for later runs, then passes its input on. At the end of a branch it does not count as a result.',
  icon: 'database-zap',
  summary: '{key} = {value}',
  synonyms:
    'save variable, store variable, remember, global variable, static data, storage, flow context, persist, data store',
  params: z.object({
    ...stateKey,
    value: z
      .unknown()
      .default('{{ input }}')
      .describe('The value to store: JSON of at most 1 MB.')
      .meta({ widget: 'value' }),
    ttlMs: stateTtl,
  }),
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The input, unchanged.' }) },
  infer: { outputs: { out: { input: 'in' } } },
  effects: 'write',
  idempotent: true,
  sink: true,
  lift: true,
  examples: [
    {
      title: 'Remember the last order of a customer, for a day',
      params: { key: 'last_{{ input.customer }}', value: '{{ input.id }}', ttlMs: 86_400_000 },
      inputs: { in: { customer: 'ada', id: 7 } },
      outputs: { out: { customer: 'ada', id: 7 } },
    },
  ],
  async run(call) {
    const { key, scope, value, ttlMs } = call.params;
    const by = call.asker;
    const options = ttlMs === undefined ? { by } : { by, ttlMs };
    await call.service('state').set(scopeOf(scope, call.asker), key, value, options);
    call.signal.throwIfAborted();
    return call.input;
  },
});
