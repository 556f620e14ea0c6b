import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { ask, outcomeFields, question } from './_question.ts';

const outcome = { object: outcomeFields };
const ADA = { by: 'Ada', at: '1970-01-01T00:00:00.000Z', comment: '' };

export default defineOperator({
  title: 'Ask for approval',
  doc: 'Waits until somebody approves or rejects: in the editor under Waiting, by a link, or over the API. The run outlives restarts while it waits, even for days.',
  icon: 'user-check',
  summary: '“{title}”[ · {who}]',
  synonyms: 'approve, human in the loop, confirm, review, sign off, wait for approval, send and wait',
  params: z.object({
    ...question,
    outcome: z
      .enum(['expired', 'approved', 'rejected'])
      .default('expired')
      .describe('The output to take if nobody decides in time.')
      .meta({ when: { param: 'expiresAfter', not: [null] } }),
  }),
  options: { Deadline: ['expiresAfter', 'outcome'], Notice: ['notify'] },
  inputs: {
    in: input({ doc: 'Any value; expressions read it as `input`, and it is passed on as `input`.' }),
  },
  outputs: {
    approved: output({ doc: 'Who approved (`by`), when (`at`), with which `comment`, and the `input`.' }),
    rejected: output({ doc: 'The same for a rejection.' }),
    expired: output({ doc: 'The same if nobody decided in time; `by` is null.' }),
  },
  infer: { outputs: { approved: outcome, rejected: outcome, expired: outcome } },
  effects: 'wait',
  exclusive: true,
  examples: [
    {
      title: 'An order that somebody approves',
      params: { title: 'Order of {{ input.customer }}', data: '{{ input }}', expiresAfter: '3d' },
      inputs: { in: { customer: 'Bob', amount: 1200 } },
      outputs: { approved: { ...ADA, input: { customer: 'Bob', amount: 1200 } } },
    },
    {
      title: 'Without a decision in time it counts as rejected',
      params: { title: 'Now or never?', expiresAfter: 0, outcome: 'rejected' },
      inputs: { in: 7 },
      outputs: { rejected: { ...ADA, by: null, input: 7 } },
    },
  ],
  async run(call) {
    const { decision, at } = await ask(call, { kind: 'approval' });
    const by = decision?.by ?? null;
    const told = { by, at, comment: decision?.comment ?? '', input: call.input };
    return { [decision?.decision ?? call.params.outcome]: told };
  },
});
