import { z } from 'zod';
import { Detail } from './service-making.ts';
import { id, Parameter, path, plain, schema, words } from './service-parts.ts';

const header = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'It is the name of a header.');

/** How a delivery of a service proves where it comes from. */
const Verify = z.discriminatedUnion('by', [
  z
    .strictObject({
      by: z.literal('hmac'),
      header: header.describe('The header with the signature.'),
      algorithm: z.enum(['sha256', 'sha1', 'sha512']).default('sha256'),
      encoding: z.enum(['hex', 'base64']).default('hex'),
      prefix: z.string().max(20).default('').describe('What stands before it, such as `sha256=` or `v0=`.'),
      part: z
        .string()
        .max(20)
        .optional()
        .describe('The header is a list such as `t=1,v1=abc`: the name of the part with the signature.'),
      signed: z
        .string()
        .max(100)
        .default('{body}')
        .describe('What is signed: `{timestamp}.{body}`, `v0:{timestamp}:{body}`, `{address}{body}`.'),
      timestamp: z
        .strictObject({
          header,
          part: z.string().max(20).optional(),
          seconds: z.int().min(1).max(3600).default(300).describe('How old a delivery may be.'),
        })
        .optional(),
    })
    .describe('A signature of the body by a shared secret (HMAC).'),
  z.strictObject({ by: z.literal('header'), header }).describe('A header has the secret itself.'),
  z
    .strictObject({ by: z.literal('address') })
    .describe('The service signs nothing: our address has the secret in it, which nobody can guess.'),
]);
export type ServiceVerify = z.output<typeof Verify>;

const Poll = z.strictObject({
  call: id.describe('The call that lists the items.'),
  given: z
    .record(z.string().max(64), z.unknown())
    .default({})
    .describe('Params of that call that are set here.'),
  takes: z.array(z.string().max(64)).default([]).describe('Params of that call that the trigger has too.'),
  detail: Detail.optional().describe('Made for each new item: its output is the input of the run.'),
  key: path.describe('The field of an item by which it is known again; `a+b` joins two fields.'),
  order: z.enum(['newest', 'oldest']).default('oldest').describe('Which items the answer has first.'),
  since: z
    .strictObject({
      param: z
        .string()
        .max(64)
        .optional()
        .describe('The param that gets it; `{since}` in texts of `given` stands for it too.'),
      from: path.describe('The field of an item, such as a time or a number that grows.'),
      as: z
        .enum(['iso', 'seconds', 'milliseconds'])
        .optional()
        .describe('It is a time, in this form: a new trigger begins now, without reading what is there.'),
    })
    .optional()
    .describe('How to ask for later items only.'),
});

const Webhook = z.strictObject({
  register: z
    .strictObject({
      call: id,
      given: z
        .record(z.string().max(64), z.unknown())
        .describe(
          'Its params; `{address}` and `{secret}` in a text stand for ours, and `{events}` as a whole for the chosen events.',
        ),
      id: path.optional().describe('Where the answer has the id of the registration.'),
      secret: path
        .optional()
        .describe('Where the answer has the secret of signatures, if the service makes it.'),
      ends: z
        .strictObject({ at: path, as: z.enum(['iso', 'seconds', 'milliseconds']).default('iso') })
        .optional()
        .describe('Where the answer says when the registration ends. It is renewed before.'),
    })
    .optional()
    .describe('Absent: a person enters the address where the service asks for it.'),
  renew: z
    .strictObject({ call: id, given: z.record(z.string().max(64), z.unknown()).default({}) })
    .optional()
    .describe('The call that makes a registration last longer; without it, it is registered again.'),
  unregister: z
    .strictObject({ call: id, given: z.record(z.string().max(64), z.unknown()).default({}) })
    .optional()
    .describe('Its params; `{id}` in a text stands for the id of the registration.'),
  list: z
    .strictObject({
      call: id,
      given: z.record(z.string().max(64), z.unknown()).default({}),
      address: path.describe('The field of an entry that has its address.'),
      id: path.optional().describe('The field of an entry that has its id.'),
      only: z
        .boolean()
        .default(false)
        .describe('There is one registration at most: a new one would replace it.'),
    })
    .optional()
    .describe('The call that says what is registered; its output is a list, or one entry.'),
  takes: z.array(z.string().max(64)).default([]).describe('Params of `register` that the trigger has too.'),
  events: z
    .array(z.strictObject({ name: z.string().max(100), title: plain(100) }))
    .default([])
    .describe('What a person chooses among.'),
  verify: Verify,
  challenge: z
    .strictObject({
      in: z
        .enum(['body', 'query'])
        .default('body')
        .describe('One in the body is signed like any other delivery; one in the query is not.'),
      when: z
        .strictObject({ field: path, is: z.string().optional() })
        .describe('The field that such a request has, with this value or any.'),
      answer: path,
      token: path.optional().describe('The field that has to be our secret.'),
    })
    .optional()
    .describe('A request that asks for a part of itself as the answer, to prove that the address is ours.'),
  event: z
    .union([z.strictObject({ header: z.string() }), z.strictObject({ field: path })])
    .optional()
    .describe('Where a delivery names its event.'),
  key: z
    .union([z.strictObject({ header: z.string() }), z.strictObject({ field: path })])
    .describe(
      'Where a delivery has its id: one that comes twice starts one run. An id in a header is not signed, so a body that comes twice starts one run too.',
    ),
  item: path.optional().describe('The part of the body that is the output; the whole body by default.'),
});

export const ServiceTrigger = z.strictObject({
  id,
  ...words,
  parameters: z
    .array(Parameter)
    .max(20)
    .default([])
    .describe('More params of it than those that it `takes`.'),
  schema: schema
    .default({})
    .describe('The JSON Schema of its output; for `poll` that of the items by default.'),
  poll: Poll.optional(),
  webhook: Webhook.optional(),
  example: z.json().describe('An output of it.'),
});

export type ServiceTrigger = z.output<typeof ServiceTrigger>;
export type ServicePoll = z.output<typeof Poll>;
export type ServiceWebhook = z.output<typeof Webhook>;
