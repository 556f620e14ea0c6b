import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { defineOperator, input, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'Link to a question',
  doc: 'Creates a link with which somebody without a login can answer the question of a later node, so that you can put the link into your own message. They can decide even before the run asks.',
  icon: 'link',
  summary: 'to {node}',
  synonyms: 'approval link, resume url, form link',
  params: z.object({
    node: z
      .string()
      .regex(ID_PATTERN, 'must be the id of a node')
      .describe('The node that asks: the id of an “Ask for approval” or “Ask for data” in this flow.'),
  }),
  inputs: { in: input({ doc: 'Any value, which is passed on as `input`.' }) },
  outputs: { out: output({ doc: 'The address (`link`) and the `input`. Whoever has the link may decide.' }) },
  infer: { outputs: { out: { object: { link: { schema: { type: 'string' } }, input: { input: 'in' } } } } },
  effects: 'read',
  readsRun: true,
  examples: [
    {
      title: 'For a message',
      params: { node: 'approve' },
      inputs: { in: { order: 7 } },
      outputs: { out: { link: 'https://example.com/wait/run.approve?token=x', input: { order: 7 } } },
    },
  ],
  run: async (call) => ({
    link: await call.service('waits').linkTo(call.params.node, call.asker),
    input: call.input,
  }),
});
