import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { scopeOf, stateKey } from '../_state-key.ts';

export default defineOperator({
  title: 'Forget state',
  doc: 'Removes a stored value, if there is one, then passes its input on. At the end of a branch it does not count as a result.',
  icon: 'eraser',
  summary: '{key}',
  synonyms: 'delete variable, clear, unset, reset',
  params: z.object(stateKey),
  inputs: { in: optionalInput({ doc: 'Any value, which starts the removal; the key may depend on it.' }) },
  outputs: { out: output({ doc: 'The input, unchanged; null if there was none.' }) },
  infer: { outputs: { out: { union: [{ input: 'in' }, { schema: { type: 'null' } }] } } },
  effects: 'write',
  idempotent: true,
  sink: true,
  lift: true,
  examples: [
    {
      title: 'Forget the basket of a customer',
      params: { key: 'basket_{{ input.customer }}' },
      inputs: { in: { customer: 'ada' } },
      outputs: { out: { customer: 'ada' } },
    },
  ],
  async run(call) {
    const { key, scope } = call.params;
    await call.service('state').set(scopeOf(scope, call.asker), key, undefined);
    call.signal.throwIfAborted();
    return call.input ?? null;
  },
});
