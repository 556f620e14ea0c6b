import { z } from 'zod';
import { type Call, defineOperator, input, output } from '../../base/operator.ts';
import { runBody } from '../_sub-flow.ts';

export default defineOperator({
  title: 'Group',
  doc: 'Holds a part of the flow in its body, with one time limit, one way to try again and one way for its errors. Its output is the result of the body.',
  icon: 'group',
  params: z.object({
    input: z.unknown().default('{{ input }}').describe('The input of the body.').meta({ widget: 'value' }),
  }),
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The result of the body; null if it has none.' }) },
  infer: { outputs: { out: { called: 'result' } }, starts: { with: { param: 'input' }, param: 'input' } },
  effects: 'write',
  idempotent: true,
  body: 'required',
  examples: [{ title: 'Without a body', inputs: { in: 1 }, error: 'flow_invalid' }],
  run(call) {
    const { idempotencyKey: key, signal } = call;
    return runBody(call as Call, { input: call.params.input, key, signal });
  },
});
