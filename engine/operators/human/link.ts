import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import { defineOperator, input, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'Address for an answer',
  doc: 'Creates the link with which somebody without a login can answer the question of a later node, so that you can put it into your own message, or the address that a “Wait for a call” waits at. The answer may come even before the run waits for it.',
  icon: 'link',
  summary: 'to {node}',
  synonyms: 'approval link, resume url, form link',
  params: z.object({
    node: z
      .string()
      .regex(ID_PATTERN, 'must be the id of a node')
      .describe(
        'The node that waits: the id of an “Ask for approval”, “Ask for data” or “Wait for a call” in this flow.',
      )
      .meta({ widget: 'node', operators: ['human.approval', 'human.form', 'logic.wait-for-call'] }),
    for: z
      .enum(['person', 'program'])
      .default('person')
      .describe(
        'Who answers: a person, who gets a page; or a program, which sends a POST to “Wait for a call”.',
      ),
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
    {
      title: 'For a program',
      params: { node: 'answer', for: 'program' },
      inputs: { in: 7 },
      outputs: { out: { link: 'https://example.com/wait/run.answer/call?token=x', input: 7 } },
    },
  ],
  run: async (call) => ({
    link: await call.service('waits').linkTo(call.params.node, call.asker, call.params.for),
    input: call.input,
  }),
});
