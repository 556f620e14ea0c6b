import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { scopeOf, stateKey } from '../_state-key.ts';

export default defineOperator({
  title: 'Read state',
  doc: 'Reads a value that an earlier run has stored with Store state.',
  icon: 'database',
  summary: '{key}',
  synonyms:
    'get variable, load variable, get state, read variable, static data, storage, flow context, global, memory read, data store',
  params: z.object({
    ...stateKey,
    fallback: z
      .unknown()
      .default(null)
      .describe('The value to return if nothing is stored.')
      .meta({ widget: 'value' }),
  }),
  inputs: { in: optionalInput({ doc: 'Any value, which starts the read; the key may depend on it.' }) },
  outputs: { out: output({ doc: 'The stored value, or the fallback.' }) },
  effects: 'read',
  lift: true,
  examples: [
    { title: 'What is stored', params: { key: 'greeting' }, inputs: {}, outputs: { out: 'Hello' } },
    {
      title: 'Nothing is stored',
      params: { key: 'visits_{{ input.user }}', fallback: 0 },
      inputs: { in: { user: 'ada' } },
      outputs: { out: 0 },
    },
  ],
  async run(call) {
    const { key, scope, fallback } = call.params;
    const value = await call.service('state').get(scopeOf(scope, call.asker), key, call.asker);
    call.signal.throwIfAborted();
    return value === undefined ? fallback : value;
  },
});
