import { z } from 'zod';
import { defineOperator, input } from '../../operator.ts';

/** A token of RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What Node can send: printable Latin-1 and tabs, so no line break that would begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** The server sets these itself; another value would cut the answer short. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerFields = z.record(
  z
    .string()
    .max(200)
    .regex(HEADER_NAME, 'must be a header name')
    .refine((name) => !FRAMING.has(name.toLowerCase()), 'is set by the server'),
  z.string().max(8000).regex(HEADER_VALUE, 'must be printable text on one line'),
);

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
