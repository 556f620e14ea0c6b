import { z } from 'zod';
import { type Call, defineOperator, input, output } from '../../base/operator.ts';
import { calledPart, runPart } from '../_sub-flow.ts';

export default defineOperator({
  title: 'Call a flow',
  doc: 'Runs another flow as a part of this one and passes its result on; a streamed result becomes a list. That flow’s trigger checks the input, and its failure is the failure of this node.',
  icon: 'workflow',
  params: z.object({
    ...calledPart,
    input: z
      .unknown()
      .default('{{ input }}')
      .describe('The input of the flow: what a caller of its trigger would send.')
      .meta({ widget: 'value' }),
  }),
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The result of the flow; null if it has none.' }) },
  infer: {
    outputs: { out: { called: 'result' } },
    starts: { with: { param: 'input' }, param: 'input' },
  },
  effects: 'write',
  idempotent: true,
  body: 'optional',
  lift: true,
  examples: [
    {
      title: 'Price an order',
      params: { flow: 'double', input: '{{ input.count }}' },
      inputs: { in: { count: 21 } },
      outputs: { out: 42 },
    },
    { title: 'The flow fails', params: { flow: 'refuse' }, inputs: { in: 1 }, error: 'stopped' },
  ],
  run(call) {
    const { flow, trigger, input: value } = call.params;
    const { idempotencyKey: key, signal } = call;
    return runPart(call as Call, { flow, trigger, input: value, key, signal });
  },
});
