import { isStream } from '#shared/json.ts';
import { z } from 'zod';
import { defineOperator, input } from '../../base/operator.ts';
import { headerFields } from '../_headers.ts';
import { reading } from '../_record.ts';

export default defineOperator({
  title: 'Respond',
  doc: 'Answers the caller at once with a status, headers and a body; the run continues after that. A stream is sent item by item. Without a respond node the result of the flow is the answer.',
  icon: 'reply',
  summary: 'answers {status}[ · {body}]',
  synonyms:
    'response, reply, return, answer, http response, respond to webhook, webhook response, end, output, result',
  purpose: 'outside',
  params: z.object({
    status: z.int().min(200).max(599).default(200).describe('The HTTP status.'),
    headers: headerFields.default({}).describe('Headers to send, by name.'),
    body: z
      .unknown()
      .optional()
      .describe('The body: an expression, or any JSON that contains expressions; the input by default.')
      .meta({ widget: 'value' }),
  }),
  inputs: {
    in: input({ kind: 'either', doc: 'Any value, which expressions read as `input`; or a stream to send.' }),
  },
  outputs: {},
  infer: {
    answer: { byParam: { name: 'body', cases: { absent: { input: 'in' } }, else: { param: 'body' } } },
  },
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
    const { status, headers } = call.params;
    const body = Object.hasOwn(call.params, 'body') ? call.params.body : call.input;
    if (!reading(() => isStream(body))) return call.respond({ status, headers, body });
    return new Promise<void>((resolve, reject) => {
      call.respond({ status, headers, body: watched(body as AsyncIterable<unknown>, resolve, reject) });
      call.signal.addEventListener('abort', () => reject(call.signal.reason), { once: true });
    });
  },
});

/** The same items. The node ends when they end, and fails when they fail. */
function watched(
  stream: AsyncIterable<unknown>,
  ended: () => void,
  failed: (reason: unknown) => void,
): AsyncIterable<unknown> {
  const items = reading(() => stream[Symbol.asyncIterator]());
  const iterator: AsyncIterator<unknown> = {
    async next() {
      try {
        const item = await items.next();
        if (item.done) ended();
        return item;
      } catch (error) {
        failed(error);
        throw error;
      }
    },
    async return() {
      ended();
      return (await items.return?.()) ?? { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
