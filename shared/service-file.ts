import { z } from 'zod';
import { Effects, ICON_DRAWING } from './catalog.ts';
import { rateFields } from './rate.ts';
import { Before, outputFields, Refuse } from './service-making.ts';
import {
  base,
  Connect,
  id,
  made,
  Parameter,
  PARAM,
  path,
  plain,
  schema,
  values,
  words,
} from './service-parts.ts';
import { ServiceTrigger } from './service-trigger.ts';

/**
 * A service as data: `shipped/<id>.json` of the product, or `.services/<id>.json` beside the flows. Each call is the
 * operator `<id>.<call>`, and each trigger too. A path such as `data.items` leads through objects; `0` takes the first of a list.
 */

const Body = z.strictObject({
  send: z
    .enum(['json', 'form', 'multipart', 'file'])
    .describe('`file`: the one param in the body is a file, and the body is its bytes.'),
  whole: z.boolean().default(false).describe('The one param in the body is the whole body.'),
  fixed: values
    .optional()
    .describe('Fields that are always sent, by path; with expressions, unless they are null.'),
  mail: path
    .optional()
    .describe('The field that gets the params `in: mail`, written as one mail (RFC 5322) in base64url.'),
  letter: z
    .record(z.string().max(20), made)
    .optional()
    .describe('Parts of that mail that expressions make, in place of a param unless they are null.'),
});

/** How the next page is asked for. `to` is a field of the query, or of the body. */
const to = { to: path, in: z.enum(['query', 'body']).default('query') };
const Next = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('link') }).describe('The header `Link` has its address (`rel="next"`).'),
  z.strictObject({ by: z.literal('address'), at: path }).describe('The answer has its address at `at`.'),
  z.strictObject({ by: z.literal('cursor'), at: path, ...to }).describe('The answer has a cursor at `at`.'),
  z
    .strictObject({ by: z.literal('last'), of: path, more: path.optional(), ...to })
    .describe('The field `of` of the last item is sent, while `more` of the answer is true.'),
  z.strictObject({ by: z.literal('page'), first: z.int().default(1), ...to }).describe('Pages have numbers.'),
  z.strictObject({ by: z.literal('offset'), ...to }).describe('The number of items so far is sent.'),
]);

const Pages = z.strictObject({
  items: path.optional().describe('The list in the answer; the answer itself by default.'),
  next: Next,
  size: z
    .strictObject({ ...to, most: z.int().min(1).max(10_000) })
    .optional()
    .describe('The field that says how many items a page has, and the most.'),
});

const Answer = z.strictObject({
  as: z
    .enum(['json', 'text', 'file', 'none'])
    .default('json')
    .describe('`none`: nothing comes, as with status 204; the output is null.'),
  schema: schema.default({}).describe('The JSON Schema of the whole answer.'),
  result: path
    .optional()
    .describe('The part of the answer that is the output. With `pages` the output is the list of items.'),
  ...outputFields,
});

const KnownError = z.strictObject({
  status: z.int().min(100).max(599).optional(),
  code: z.string().max(200).optional().describe('What `code` of `errors` leads to.'),
  says: plain(300).describe('What is wrong, and what to do.'),
  transient: z
    .boolean()
    .optional()
    .describe('Another attempt may succeed. By default 408, 425, 429 and 5xx are.'),
});

const Errors = z.strictObject({
  when: z
    .strictObject({ field: path, is: z.union([z.string(), z.boolean(), z.number()]) })
    .optional()
    .describe('An answer with status 200 is a failure if this field has this value, such as `ok: false`.'),
  code: path.optional().describe('Where an answer names its error.'),
  message: path.optional().describe('Where an answer describes it.'),
  retryAfter: path
    .optional()
    .describe('Where it says in how many seconds to try again; the header `Retry-After` counts anyway.'),
  known: z.array(KnownError).max(100).default([]),
});

const Answered = z.strictObject({
  status: z.int().default(200),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown().optional(),
  from: z
    .enum(['documentation', 'recorded', 'schema'])
    .describe('Where it comes from: an example of the vendor, a real answer, or made up to fit the schema.'),
});

const Example = z.strictObject({
  title: plain(100),
  params: z.record(z.string().max(64), z.unknown()),
  sent: z
    .strictObject({ path: z.string().max(2000), query: values.optional(), body: z.unknown().optional() })
    .optional()
    .describe('The request that these params give, which tests compare.'),
  before: z.array(Answered).max(10).default([]).describe('Answers to the calls that come first, in order.'),
  answer: Answered.optional().describe('Absent if nothing is sent.'),
  details: z.array(Answered).max(10).default([]).describe('Answers to the calls for each item.'),
  output: z.unknown().optional().describe('What the node gives, if it is not the answer or its part.'),
  error: z
    .string()
    .max(200)
    .optional()
    .describe('The code of the error in which it ends, such as `bad_params`, or that of the service.'),
});
export const ServiceCall = z.strictObject({
  id,
  ...words,
  hidden: z.boolean().default(false).describe('Only for triggers and other calls: no palette offers it.'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  base: base.optional().describe('Its address, if it is not below that of the service.'),
  open: z
    .boolean()
    .default(false)
    .describe('It is sent without the credentials of the connection: its address is all that it needs.'),
  path: z
    .string()
    .max(1000)
    .regex(/^\/[^\s?#\\\p{Cc}]*$/u, 'It is a path, such as /items/{id}.')
    .describe('`{name}` stands for the parameter of that name on the way; `{+name}` keeps its slashes.'),
  before: z.array(Before).max(5).default([]).describe('Calls that are made first.'),
  refuse: z.array(Refuse).max(10).default([]),
  places: z
    .record(z.string().max(64), made)
    .default({})
    .describe('What stands in the path for names that no parameter has.'),
  batches: z
    .strictObject({ of: z.string().regex(PARAM), most: z.int().min(1).max(1000) })
    .optional()
    .describe('The list in this param is sent in pieces of at most so many items; the outputs are joined.'),
  query: values
    .optional()
    .describe('Fields of the query that are always sent; with expressions, unless they are null.'),
  headers: z.record(z.string().max(100), z.string().max(500)).optional(),
  parameters: z.array(Parameter).max(100).default([]),
  body: Body.optional(),
  answer: Answer.prefault({}),
  pages: Pages.optional(),
  errors: Errors.partial().optional().describe('In addition to those of the service.'),
  effects: Effects.extract(['read', 'write'])
    .optional()
    .describe('By default GET and HEAD read, and others write.'),
  idempotency: z
    .union([z.literal('natural'), z.strictObject({ header: z.string().max(100) })])
    .optional()
    .describe(
      'A repeated request does the same once: by its nature, or by a key in this header. PUT and DELETE are by nature.',
    ),
  examples: z.array(Example).max(20).default([]),
});

export const ServiceFile = z
  .strictObject({
    format: z.literal('weft-service/1'),
    id,
    title: plain(60),
    doc: plain(500),
    icon: plain(2000)
      .refine(
        (text) => ICON_DRAWING.test(text) || /^[a-z0-9-]{1,60}$/.test(text),
        'It is the name of a lucide icon.',
      )
      .describe('As of operators: a lucide name, or a drawing in a 24 × 24 box.'),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/)
      .describe('Its colour in the gallery and on cards.'),
    version: z.int().min(1).describe('Raised with every change of the file.'),
    source: z.strictObject({
      address: z.string().max(1000).describe('The vendor’s description.'),
      form: z.enum(['openapi', 'discovery', 'documentation']),
      version: z.string().max(100).describe('What the description says of its version.'),
      date: z.iso.date().describe('When it was read.'),
      met: plain(500)
        .optional()
        .describe('What was tried against what, and what never met the real service.'),
    }),
    page: z.string().max(500).optional().describe('A page on which people look things up.'),
    base: base.describe('`{name}` is a variable of the person, such as the shop.'),
    variables: z
      .record(
        z.string().regex(PARAM),
        z.strictObject({ doc: plain(300), default: z.string().max(200).optional() }),
      )
      .default({}),
    connect: z.array(Connect).min(1).max(5),
    headers: z.record(z.string().max(100), z.string().max(500)).default({}),
    rate: z
      .strictObject(rateFields)
      .optional()
      .describe('What the service allows; a new connection gets it.'),
    errors: Errors.prefault({}),
    definitions: z
      .record(z.string().max(200), schema)
      .default({})
      .describe('Schemas that others name with `#/definitions/…`.'),
    calls: z.array(ServiceCall).min(1).max(500),
    triggers: z.array(ServiceTrigger).max(50).default([]),
  })
  .superRefine((file, context) => {
    for (const fault of faultsOf(file)) context.addIssue({ code: 'custom', ...fault });
  });

export type ServiceFile = z.output<typeof ServiceFile>;
export type ServiceCall = z.output<typeof ServiceCall>;
export type ServicePages = z.output<typeof Pages>;

interface Fault {
  readonly path: (string | number)[];
  readonly message: string;
}

/** What the shapes cannot say: names that fit each other. */
function* faultsOf(file: ServiceFile): Generator<Fault> {
  const ids = new Set<string>();
  const calls = new Map(file.calls.map((call) => [call.id, call]));
  for (const [at, call] of file.calls.entries()) {
    if (ids.has(call.id)) yield { path: ['calls', at, 'id'], message: `There are two of ${call.id}.` };
    ids.add(call.id);
    for (const message of [
      ...faultsOfCall(call),
      ...faultsOfUses(call, calls),
      ...faultsOfChoices(call.parameters, calls),
    ])
      yield { path: ['calls', at], message };
  }
  for (const [at, trigger] of file.triggers.entries()) {
    if (ids.has(trigger.id))
      yield { path: ['triggers', at, 'id'], message: `There are two of ${trigger.id}.` };
    ids.add(trigger.id);
    for (const message of faultsOfTrigger(trigger, calls)) yield { path: ['triggers', at], message };
  }
}

function* faultsOfCall(call: ServiceCall): Generator<string> {
  const { parameters, pages, answer, batches } = call;
  yield* doubled(parameters.map(({ name }) => name));
  yield* faultsOfPath(call);
  yield* faultsOfBody(call);
  if (pages && answer.as !== 'json') yield 'Only JSON has pages.';
  if (batches && !parameters.some(({ name }) => name === batches.of))
    yield `No parameter is called ${batches.of}.`;
  if (batches && pages) yield 'A call has either pages or batches.';
}

function* faultsOfChoices(
  parameters: ServiceCall['parameters'],
  calls: ReadonlyMap<string, ServiceCall>,
): Generator<string> {
  const own = parameters.map(({ name }) => name);
  for (const { name, choices } of parameters) {
    if (choices === undefined) continue;
    const theirs = calls.get(choices.call)?.parameters.map((one) => one.name);
    if (theirs === undefined) yield `There is no call ${choices.call}, which lists the choices of ${name}.`;
    const named = [...choices.takes, ...Object.keys(choices.given), choices.search ?? []].flat();
    const missing = named.filter((one) => theirs?.includes(one) === false);
    yield* missing.map((one) => `${choices.call} has no parameter ${one}.`);
    const lacking = choices.takes.filter((one) => !own.includes(one));
    yield* lacking.map((one) => `No parameter is called ${one}.`);
  }
}

function* doubled(names: readonly string[]): Generator<string> {
  for (const [at, name] of names.entries()) if (names.indexOf(name) !== at) yield `Two are called ${name}.`;
}

function* faultsOfPath({ path: address, parameters, places }: ServiceCall): Generator<string> {
  const wanted = new Set([...address.matchAll(/\{\+?([^{}]*)\}/g)].map(([, name = '']) => name));
  wanted.delete('secret');
  for (const { name, wire = name, required, schema: of } of parameters.filter((p) => p.in === 'path')) {
    if (!wanted.delete(wire)) yield `The path has no {${wire}}.`;
    if (!required && of['default'] === undefined) yield `${name} is in the path, so it is required.`;
  }
  for (const name of Object.keys(places)) if (!wanted.delete(name)) yield `The path has no {${name}}.`;
  for (const name of wanted) yield `No parameter is called ${name}, which stands in the path.`;
}

function* faultsOfBody({ parameters, body }: ServiceCall): Generator<string> {
  const places = parameters.map((p) => p.in);
  if (body === undefined) {
    if (places.includes('body') || places.includes('mail'))
      yield 'Parameters are in the body, and `body` is missing.';
    return;
  }
  const isOne = body.whole || body.send === 'file';
  if (isOne && places.filter((place) => place === 'body').length !== 1)
    yield 'One parameter is the whole body.';
  if ((body.mail !== undefined) !== places.includes('mail'))
    yield '`body.mail` and parameters `in: mail` belong together.';
}

function* faultsOfUses(
  { before, refuse, parameters, answer }: ServiceCall,
  calls: ReadonlyMap<string, ServiceCall>,
): Generator<string> {
  for (const { call } of [...before, ...(answer.detail ? [answer.detail] : [])]) {
    const used = calls.get(call);
    if (!used) yield `There is no call ${call}.`;
    else if (used.before.length > 0 || used.answer.detail) yield `${call} makes calls itself.`;
  }
  yield* doubled(before.map(({ as }) => as));
  const names = parameters.map(({ name }) => name);
  for (const { after, each, field } of refuse) {
    if (after !== undefined && !before.some(({ as }) => as === after)) yield `No call before is ${after}.`;
    for (const name of [field, each ?? field])
      if (!names.includes(name)) yield `No parameter is called ${name}.`;
  }
}

function* faultsOfTrigger(
  trigger: ServiceTrigger,
  calls: ReadonlyMap<string, ServiceCall>,
): Generator<string> {
  const { poll, webhook, parameters } = trigger;
  if ((poll === undefined) === (webhook === undefined)) yield 'A trigger has either `poll` or `webhook`.';
  const main = calls.get(callsOf(trigger)[0] ?? '');
  for (const call of [...callsOf(trigger), ...(poll?.detail ? [poll.detail.call] : [])])
    if (!calls.has(call)) yield `There is no call ${call}.`;
  const names = new Set([...(main?.parameters ?? []), ...parameters].map(({ name }) => name));
  for (const name of namedBy(trigger)) if (!names.has(name)) yield `The call has no parameter ${name}.`;
}

/** The calls of a trigger; first the one whose params the trigger has. */
function callsOf({ poll, webhook }: ServiceTrigger): string[] {
  const uses = [poll, webhook?.register, webhook?.renew, webhook?.unregister, webhook?.list];
  return uses.flatMap((use) => use?.call ?? []);
}

function namedBy({ poll, webhook }: ServiceTrigger): string[] {
  const taken = (poll ?? webhook)?.takes ?? [];
  return poll?.since?.param === undefined ? taken : [...taken, poll.since.param];
}
