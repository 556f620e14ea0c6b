import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../operator.ts';
import { scopeOf, stateKey } from '../_state-key.ts';

export default defineOperator({
  title: 'Read state',
  doc: 'Reads a value that an earlier run has stored with Store state.',
  icon: 'database',
  params: z.object({
    ...stateKey,
    fallback: z
      .unknown()
      .default(null)
      .describe('What to give where nothing is stored.')
      .meta({ widget: 'value' }),
  }),
  inputs: { in: optionalInput({ doc: 'When to read; the key may be made from it.' }) },
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
    const value = await call.service('state').get(scopeOf(scope, call.asker), key);
    call.signal.throwIfAborted();
    return value === undefined ? fallback : value;
  },
});
