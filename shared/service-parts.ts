import { z } from 'zod';
import { isRecord, type JsonSchema } from './json.ts';

/** What files of services are made of, besides calls and triggers (`service-file.ts`). */

export const SERVICE_ID = /^[a-z][a-z0-9_-]{1,39}$/;
/** Names of params of nodes. */
export const PARAM = /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/;
/** Params that every call has, or that its pages bring. */
const TAKEN = new Set([
  ...['connection', 'limit', 'timeoutMs', 'every', 'existing'],
  ...['signingSecret', 'constructor'],
]);
const WIRE = /^[^\p{Cc}\p{Cf}\s]{1,200}$/u;
const UNSAFE = /(?:^|\.)(?:__proto__|prototype|constructor)(?:\.|$)/;

export const plain = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !/(?!\n)[\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(text), 'It has control characters.');

export const path = z
  .string()
  .max(200)
  .regex(WIRE)
  .refine((text) => !UNSAFE.test(text), 'It is no name of a field.');

export const schema = z.custom<JsonSchema>(isRecord, 'It is a JSON Schema.');
export const values = z.record(path, z.unknown());

export const words = {
  title: plain(80),
  doc: plain(1000).describe('What it does, in one to three sentences.'),
  summary: plain(200)
    .optional()
    .describe('The line on its card: `Append to {sheet}`, as for operators (docs/operators.md).'),
  synonyms: plain(500).optional().describe('Other words by which people look for it, separated by commas.'),
  icon: plain(2000).optional().describe('By default that of the service.'),
};

export const base = z
  .string()
  .max(500)
  .regex(/^https:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/, 'It is an address with https, without a query.')
  .refine((text) => !text.endsWith('/'), 'It does not end with a slash.');

export const id = z.string().regex(SERVICE_ID);

/** A way to connect: a kind of connection of ours, and what its form is filled with. */
export const Connect = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('oauth2'),
    provider: z.string().max(40).describe('A provider of the kind `oauth2`, such as `google`.'),
    scopes: z.array(z.string().max(300)).max(50).default([]).describe('What the calls need, at least.'),
  }),
  z.strictObject({
    kind: z.literal('http'),
    auth: z
      .enum(['bearer', 'basic', 'header', 'address'])
      .describe('`address`: the secret takes the place of `{secret}` in paths and queries.'),
    header: z.string().max(100).optional().describe('The header with the secret (header).'),
    user: z.string().max(200).optional().describe('The user (basic), if it is always the same.'),
    label: plain(100).describe('What the service calls the secret, such as “Bot token”.'),
    help: plain(1000).describe('Where a person finds it.'),
    testPath: z.string().max(500).optional().describe('What the test of the connection asks for.'),
  }),
  z.strictObject({ kind: z.literal('none') }),
]);

/** A text whose `{{ }}` are expressions; one alone keeps the type of its value. */
export const made = z
  .string()
  .max(6000)
  .refine((text) => text.includes('{{'), 'It has no {{ }}.');

/** For a parameter that is sent in another form (`service-making.ts`). What people enter fits `schema`; what is sent fits `sends`. */
const makingFields = {
  makes: made.optional().describe('What is sent in place of the `value`.'),
  each: made.optional().describe('What is sent in place of each `item` of the list, which has an `index`.'),
  sends: schema.optional().describe('The JSON Schema of what is sent, if it is another one.'),
};

/** Where a value of a parameter goes. */
const Place = z.enum(['path', 'query', 'header', 'body', 'mail', 'value']);

/** What there is to choose from, such as the channels of a workspace; any other value may be entered too. */
const Choices = z
  .strictObject({
    call: id.describe('The call that lists them.'),
    given: z.record(z.string().max(64), z.unknown()).default({}).describe('Params of that call.'),
    takes: z
      .array(z.string().max(64))
      .default([])
      .describe('Params of that call that the node has too, and without which there is nothing to list.'),
    search: z
      .string()
      .max(64)
      .optional()
      .describe(
        'The param of that call that gets what a person types; without it the list is searched here.',
      ),
    items: path.optional().describe('The list in the output of the call; the output itself by default.'),
    value: path.describe('The field of an item that is entered.'),
    label: path.optional().describe('The field that people read.'),
  })
  .describe('Where the form loads choices from.');
export type ServiceChoices = z.output<typeof Choices>;

export const Parameter = z.strictObject({
  name: z
    .string()
    .regex(PARAM)
    .refine((name) => !TAKEN.has(name), 'Nodes have a param of this name already.')
    .describe('The param of the node.'),
  wire: path
    .optional()
    .describe(
      'Its name on the way, if that is another one; in a body it may be a path such as `parent.page_id`.',
    ),
  in: Place.describe(
    '`mail`: a part of a mail (`from`, `to`, `cc`, `bcc`, `replyTo`, `subject`, `text`, `html`, `inReplyTo`, `references`, `attachments`), see `body.mail`. `value`: nowhere by itself; expressions of the call read it.',
  ),
  label: plain(80).optional().describe('How the form calls it; by default its name.'),
  doc: plain(1000),
  schema: schema.describe('Its JSON Schema, with `default` and `enum` if there are any.'),
  required: z.boolean().default(false),
  essential: z
    .boolean()
    .default(false)
    .describe('The form shows it at once; the others stand under “More”. Required ones always show.'),
  labels: z.record(z.string().max(200), plain(100)).optional().describe('Words for the values of `enum`.'),
  list: z
    .enum(['repeat', 'comma', 'brackets', 'json'])
    .default('repeat')
    .describe(
      'How a list or an object is written in a query, a header or a form: `a=1&a=2`, `a=1,2`, `a[]=1`, `a[b]=1`, or as JSON.',
    ),
  choices: Choices.optional(),
  encode: z.enum(['base64url', 'base64']).optional().describe('The text, or the file, is sent in this form.'),
  ...makingFields,
});

export type ServiceParameter = z.output<typeof Parameter>;
export type ServiceConnect = z.output<typeof Connect>;
