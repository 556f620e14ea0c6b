import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { scopeOf, stateKey, stateTtl } from '../_state-key.ts';

export default defineOperator({
  title: 'Count state',
  doc: 'Adds to a stored number in one step, so that no count is lost when runs overlap, and returns the new number. A new attempt of the same node does not add again.',
  icon: 'hash',
  summary: '{key} + {by}',
  synonyms: 'counter, increment, count up, sequence',
  params: z.object({
    ...stateKey,
    by: z.number().default(1).describe('How much to add; a negative number subtracts.'),
    ttlMs: stateTtl,
  }),
  inputs: {
    in: optionalInput({ doc: 'Any value, which starts the count; expressions read it as `input`.' }),
  },
  outputs: { out: output({ doc: 'The number after adding.', schema: z.number() }) },
  effects: 'write',
  idempotent: true,
  lift: true,
  examples: [
    {
      title: 'Count the visits of a user',
      params: { key: 'visits_{{ input.user }}' },
      inputs: { in: { user: 'ada' } },
      outputs: { out: 1 },
    },
    { title: 'No number is stored', params: { key: 'greeting' }, inputs: {}, error: 'bad_state' },
  ],
  async run(call) {
    const { key, scope, by, ttlMs } = call.params;
    const options = { once: call.idempotencyKey, ...(ttlMs !== undefined && { ttlMs }) };
    const sum = await call.service('state').add(scopeOf(scope, call.asker), key, by, options);
    call.signal.throwIfAborted();
    return sum;
  },
});
