import { z } from 'zod';
import { defineOperator, input, literal, output } from '../../base/operator.ts';
import { answerTypes, expiresAfter, waitForAnswer } from '../_wait-answer.ts';

export default defineOperator({
  title: 'Wait for a call',
  doc: 'Waits until a program sends a POST to the address of this node, which an “Address for an answer” before it creates. The address works once, for this run only. The run outlives restarts while it waits.',
  icon: 'webhook',
  summary: '[for {expiresAfter|duration}]',
  synonyms: 'webhook response, callback, wait for webhook, resume url',
  params: z.object({
    schema: literal(
      z
        .record(z.string(), z.unknown())
        .optional()
        .describe('JSON Schema of the body; a call that does not match is refused, and the wait goes on.')
        .meta({ widget: 'schema' }),
    ),
    expiresAfter,
  }),
  inputs: {
    in: input({ doc: 'Any value; expressions read it as `input`, and it is passed on as `input`.' }),
  },
  outputs: {
    received: output({ doc: 'The JSON of the call (`body`), when it came (`at`), and the `input`.' }),
    expired: output({ doc: 'If no call came in time: when that was (`at`), and the `input`.' }),
  },
  infer: { outputs: answerTypes('body') },
  effects: 'wait',
  exclusive: true,
  examples: [
    {
      title: 'The answer of a payment service',
      params: {
        schema: { type: 'object', required: ['paid'], properties: { paid: { type: 'boolean' } } },
        expiresAfter: '1h',
      },
      inputs: { in: { order: 7 } },
      outputs: { received: { body: { paid: true }, at: '1970-01-01T00:00:00.000Z', input: { order: 7 } } },
    },
    {
      title: 'A time that is none',
      params: { expiresAfter: 'soon' },
      inputs: { in: 1 },
      error: 'bad_params',
    },
  ],
  async run(call) {
    const { schema, expiresAfter: longest } = call.params;
    const ask = { kind: 'call' as const, ...(schema && { schema }) };
    const { decision, at } = await waitForAnswer(call, { title: 'A call', ask, expiresAfter: longest });
    if (decision === undefined) return { expired: { at, input: call.input } };
    return { received: { body: decision.data, at, input: call.input } };
  },
});
