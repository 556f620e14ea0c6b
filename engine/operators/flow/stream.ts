import { isStream } from '#shared/json.ts';
import { z } from 'zod';
import { type Call, defineOperator, input, output } from '../../base/operator.ts';
import { calledFlow } from '../_sub-flow.ts';

const params = z.object({
  ...calledFlow,
  input: z
    .unknown()
    .default('{{ input }}')
    .describe('The input of the flow: what a caller of its trigger would send.')
    .meta({ widget: 'value' }),
});

export default defineOperator({
  title: 'Stream a flow',
  doc: 'Runs another flow as a part of this one and passes its streamed result on, item by item, as it arrives. A list is sent item by item, any other value as the only item.',
  icon: 'waypoints',
  summary: '{flow}',
  synonyms: 'stream subflow, stream workflow',
  params,
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ kind: 'stream', doc: 'The items of the flow’s result.' }) },
  infer: {
    outputs: { out: { called: 'items' } },
    starts: { with: { param: 'input' }, param: 'input' },
  },
  effects: 'write',
  idempotent: true,
  examples: [
    {
      title: 'A list becomes a stream',
      params: { flow: 'echo' },
      inputs: { in: ['a', 'b'] },
      outputs: { out: ['a', 'b'] },
    },
  ],
  run: (call) => resultItems(call as Call<z.output<typeof params>>),
});

async function* resultItems(call: Call<z.output<typeof params>>): AsyncGenerator<unknown> {
  const { flow, trigger, input: value } = call.params;
  const start = { flow, trigger, input: value, key: call.idempotencyKey };
  const result = await call.service('flows').run(start, call.asker, call.signal);
  if (isStream(result) || Array.isArray(result)) yield* result;
  else yield result;
}
