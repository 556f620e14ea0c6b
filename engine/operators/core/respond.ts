import { z } from 'zod';
import { defineOperator, input } from '../../operator.ts';
import { headerFields } from '../_headers.ts';

export default defineOperator({
  title: 'Respond',
  doc: 'Answers the caller at once with a status, headers and a body; the run goes on afterwards. Without a respond node the result of the flow is the answer.',
  icon: 'reply',
  params: z.object({
    status: z.int().min(200).max(599).default(200).describe('The HTTP status.'),
    headers: headerFields.default({}).describe('Headers to send, by name.'),
    body: z
      .unknown()
      .default('{{ input }}')
      .describe('The body: an expression, or any JSON with expressions in it.')
      .meta({ widget: 'value' }),
  }),
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: {},
  effects: 'write',
  respond: true,
  idempotent: true,
  examples: [
    { title: 'The input as it is', inputs: { in: { ok: true } } },
    {
      title: 'Created, with the address of the new thing',
      params: { status: 201, headers: { location: '/items/{{ input.id }}' }, body: { id: '{{ input.id }}' } },
      inputs: { in: { id: 7 } },
    },
  ],
  run(call) {
    const { status, headers, body } = call.params;
    call.respond({ status, headers, body });
  },
});
