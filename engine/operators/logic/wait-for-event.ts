import { z } from 'zod';
import { EVENT_KEY, EVENT_NAME } from '#shared/wait.ts';
import { defineOperator, input, literal, output, WeftError } from '../../base/operator.ts';
import { answerTypes, expiresAfter, waitForAnswer } from '../_wait-answer.ts';

export default defineOperator({
  title: 'Wait for an event',
  doc: 'Waits for an event with a name and a business key, such as `paid` of order 7. POST /api/v1/events/{name}/{key} wakes all runs that wait for it. The run outlives restarts while it waits.',
  icon: 'radio-receiver',
  summary: '{name} · {key}',
  synonyms: 'signal, wait for event, correlation, business key',
  params: z.object({
    name: z
      .string()
      .regex(EVENT_NAME, 'must be a name')
      .describe('The name of the event, such as `order-paid`.')
      .meta({ says: 'write a name such as order-paid, beginning with a letter' }),
    key: z
      .union([z.string(), z.number()])
      .describe(
        'The key of the event, such as the number of the order: a text or number, at most 200 characters.',
      )
      .meta({ widget: 'expression' }),
    schema: literal(
      z
        .record(z.string(), z.unknown())
        .optional()
        .describe('JSON Schema of the event’s data; an event that does not match does not end the wait.')
        .meta({ widget: 'schema' }),
    ),
    expiresAfter,
  }),
  inputs: {
    in: input({ doc: 'Any value; expressions read it as `input`, and it is passed on as `input`.' }),
  },
  outputs: {
    received: output({
      doc: 'The `data` of the event, who sent it (`by`), when it came (`at`), and the `input`.',
    }),
    expired: output({ doc: 'If the event did not come in time: when that was (`at`), and the `input`.' }),
  },
  infer: { outputs: answerTypes('data', { by: { schema: { type: 'string' } } }) },
  effects: 'wait',
  exclusive: true,
  examples: [
    {
      title: 'Until the order is paid',
      params: {
        name: 'order-paid',
        key: '{{ input.order }}',
        schema: {
          type: 'object',
          required: ['amount'],
          properties: { amount: { type: 'number', minimum: 1 } },
        },
      },
      inputs: { in: { order: 7 } },
      outputs: {
        received: { data: { amount: 1 }, by: 'Ada', at: '1970-01-01T00:00:00.000Z', input: { order: 7 } },
      },
    },
    { title: 'No key', params: { name: 'order-paid', key: '' }, inputs: { in: 1 }, error: 'bad_params' },
  ],
  async run(call) {
    const { name, key, schema, expiresAfter: longest } = call.params;
    const event = { name, key: eventKey(key) };
    const ask = { kind: 'event' as const, event, ...(schema && { schema }) };
    const title = `${name} ${event.key}`;
    const { decision, at } = await waitForAnswer(call, { title, ask, expiresAfter: longest });
    if (decision === undefined) return { expired: { at, input: call.input } };
    return { received: { data: decision.data, by: decision.by, at, input: call.input } };
  },
});

function eventKey(key: string | number): string {
  const text = String(key);
  if (EVENT_KEY.test(text)) return text;
  throw new WeftError(
    'bad_params',
    'The key of an event must have 1 to 200 characters, none of which is a control character.',
    { field: 'params.key' },
  );
}
