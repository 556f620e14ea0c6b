import { type OperatorInfo, PLAIN_FACTS } from '#shared/catalog.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { ServiceCall, ServiceFile } from '#shared/service-file.ts';
import type { ServiceParameter } from '#shared/service-parts.ts';
import type { ServiceTrigger, ServiceWebhook } from '#shared/service-trigger.ts';
import { fieldAt, inlined, schemaAt } from './fields.ts';

/** The operators of a service as data: their forms, types and words. */
export function describeService(file: ServiceFile): Record<string, OperatorInfo> {
  const shown = file.calls.filter(({ hidden }) => !hidden);
  const all = [
    ...shown.map((call) => describeCall(file, call)),
    ...file.triggers.map((trigger) => describeTrigger(file, trigger)),
  ];
  return Object.fromEntries(all.map((info) => [info.type, info]));
}

type Words = Pick<ServiceCall, 'id' | 'title' | 'doc' | 'summary' | 'synonyms' | 'icon'>;

function wordsOf(file: ServiceFile, { id, title, doc, summary, synonyms = '', icon = file.icon }: Words) {
  const words = [file.title, ...synonyms.split(',')].map((word) => word.trim().toLowerCase());
  return {
    type: `${file.id}.${id}`,
    group: file.id,
    title,
    doc,
    icon,
    ...(summary !== undefined && { summary }),
    synonyms: [...new Set(words.filter((word) => word !== ''))],
    service: { title: file.title, color: file.color },
  };
}

export const LIMIT = { default: 100, most: 10_000 };
export const TIMEOUT_MS = 30_000;

const LIMIT_SCHEMA = {
  default: LIMIT.default,
  description: 'The most items; their pages are read as far as necessary.',
  type: 'integer',
  minimum: 1,
  maximum: LIMIT.most,
};
const TIMEOUT_SCHEMA = {
  default: TIMEOUT_MS,
  description: 'Milliseconds for each request, including the wait for a connection.',
  type: 'integer',
  minimum: 1,
  maximum: 3_600_000,
};

function describeCall(file: ServiceFile, call: ServiceCall): OperatorInfo {
  const { method, effects = isSafe(method) ? 'read' : 'write', idempotency, pages } = call;
  const params = {
    ...connectionParam(file),
    ...paramsOf(file, call.parameters),
    ...(pages && { limit: LIMIT_SCHEMA }),
    timeoutMs: TIMEOUT_SCHEMA,
  };
  return {
    ...wordsOf(file, call),
    params: paramsSchema(file, params, call.parameters),
    ...optionsOf(call.parameters, ['timeoutMs']),
    inputs: [
      { name: 'in', doc: 'Any value; expressions read it as `input`.', kind: 'value', required: false },
    ],
    outputs: [{ name: 'out', doc: 'What the service answers.', kind: 'value', schema: outputOf(file, call) }],
    ...PLAIN_FACTS,
    purpose: 'outside',
    effects,
    idempotent: idempotency !== undefined || method === 'PUT' || method === 'DELETE',
    literalParams: hasConnection(file) ? ['connection'] : [],
    examples: call.examples.map((example) => exampleOf(file, call, example)),
  };
}

function exampleOf(
  file: ServiceFile,
  call: ServiceCall,
  { title, params: given, answer, output, error }: ServiceCall['examples'][number],
): OperatorInfo['examples'][number] {
  const shown = { title, params: { ...exampleConnection(file), ...given } };
  if (answer !== undefined && (answer.status >= 400 || isRefusal(file, answer.body)))
    return { ...shown, error: 'service_failed' };
  if (error !== undefined) return { ...shown, error };
  return { ...shown, outputs: { out: output ?? resultOf(call, answer?.body) } };
}

/** Whether an answer with status 200 is a failure. */
export function isRefusal({ errors: { when } }: Pick<ServiceFile, 'errors'>, body: unknown): boolean {
  return when !== undefined && fieldAt(body, when.field) === when.is;
}

/** The output for an answer: its part `result`, or the items of a page. */
function resultOf({ answer, pages }: ServiceCall, body: unknown): unknown {
  if (answer.as === 'none') return null;
  return (pages ? fieldAt(body, pages.items) : fieldAt(body, answer.result)) ?? null;
}

/** Whether requests with this method only read. */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function hasConnection({ connect }: ServiceFile): boolean {
  return connect.some(({ kind }) => kind !== 'none');
}

function exampleConnection(file: ServiceFile) {
  return hasConnection(file) ? { connection: file.id.replaceAll('-', '_') } : {};
}

function connectionParam(file: ServiceFile): Record<string, JsonSchema> {
  if (!hasConnection(file)) return {};
  const kinds = new Set(file.connect.map(({ kind }) => kind).filter((kind) => kind !== 'none'));
  const providers = file.connect.flatMap((way) => (way.kind === 'oauth2' ? [way.provider] : []));
  return {
    connection: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_]{0,63}$',
      description: `The name of a connection to ${file.title}.`,
      widget: 'connection',
      kinds: [...kinds],
      ...(providers.length > 0 && { providers }),
      service: file.id,
      weft: 'literal',
    },
  };
}

function paramsSchema(
  file: ServiceFile,
  properties: Record<string, JsonSchema>,
  parameters: readonly ServiceParameter[],
): JsonSchema {
  const needsConnection = 'connection' in properties && !file.connect.some(({ kind }) => kind === 'none');
  const named = parameters.filter((one) => one.required && one.schema['default'] === undefined);
  const required = [...(needsConnection ? ['connection'] : []), ...named.map(({ name }) => name)];
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** Required ones first, then those that are essential. */
function paramsOf(
  { definitions }: ServiceFile,
  parameters: readonly ServiceParameter[],
): Record<string, JsonSchema> {
  const rank = ({ required, essential }: ServiceParameter): number => (required ? 0 : essential ? 1 : 2);
  const sorted = parameters.toSorted((a, b) => rank(a) - rank(b));
  return Object.fromEntries(
    sorted.map((one) => {
      const { name, label, doc, schema, labels, choices } = one;
      return [
        name,
        {
          ...inlined(schema, definitions),
          description: doc,
          ...(label !== undefined && { title: label }),
          ...(labels && { labels }),
          ...(choices && { widget: 'choices', takes: choices.takes }),
        },
      ];
    }),
  );
}

/** Params that few nodes need, which the form offers under “Add option”. */
function optionsOf(
  parameters: readonly ServiceParameter[],
  limits: readonly string[],
): Pick<OperatorInfo, 'options'> {
  const more = parameters.filter(({ required, essential }) => !required && !essential);
  const options = {
    ...(more.length > 0 && { More: more.map(({ name }) => name) }),
    ...(limits.length > 0 && { Limits: [...limits] }),
  };
  return Object.keys(options).length > 0 ? { options } : {};
}

/** Without the description: the port has its own. */
function outputOf({ definitions }: ServiceFile, { answer, pages }: ServiceCall): JsonSchema {
  if (answer.output !== undefined) return inlined(answer.output, definitions);
  if (answer.as === 'none') return { type: 'null' };
  if (answer.as === 'text') return { type: 'string' };
  if (answer.as === 'file') return FILE_SCHEMA;
  if (answer.makes !== undefined || answer.each !== undefined || answer.detail !== undefined) return {};
  const part = schemaAt(answer.schema, pages ? pages.items : answer.result, definitions);
  return inlined(part, definitions);
}

const FILE_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    $file: { type: 'string' },
    name: { type: 'string' },
    type: { type: 'string' },
    bytes: { type: 'integer' },
  },
  required: ['$file', 'name', 'type', 'bytes'],
  format: 'file',
};

const POLL_PARAMS = {
  every: {
    default: 60,
    description: 'Seconds from one question to the next.',
    type: 'number',
    unit: 's',
    minimum: 1,
    maximum: 86_400,
  },
  existing: {
    default: 'skip',
    description: 'Whether what is there when the flow first goes live starts runs, or is skipped.',
    type: 'string',
    enum: ['start', 'skip'],
    labels: { start: 'Starts runs', skip: 'Is skipped' },
  },
};

/** The params of a trigger: those of its call that it takes, and its own. */
export function parametersOf(file: ServiceFile, trigger: ServiceTrigger): readonly ServiceParameter[] {
  const { poll, webhook, parameters } = trigger;
  const call = file.calls.find(({ id }) => id === (poll ?? webhook?.register)?.call);
  const taken = new Set((poll ?? webhook)?.takes);
  return [...(call?.parameters ?? []).filter(({ name }) => taken.has(name)), ...parameters];
}

/** The params of a trigger that its service calls. */
function calledParams({ events, register, verify }: ServiceWebhook): Record<string, JsonSchema> {
  const names = events.map(({ name }) => name);
  return {
    ...(names.length > 0 && {
      events: {
        default: names.slice(0, 1),
        description: 'What starts a run.',
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: {
          type: 'string',
          enum: names,
          labels: Object.fromEntries(events.map(({ name, title }) => [name, title])),
        },
      },
    }),
    ...(register === undefined &&
      verify.by !== 'address' && {
        signingSecret: {
          description: 'The secret by which the service signs what it sends; it shows it beside the address.',
          type: 'object',
          properties: {
            $secret: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,63}$', description: 'Its name.' },
          },
          required: ['$secret'],
          additionalProperties: false,
          widget: 'secret',
        },
      }),
  };
}

function calledRequired({ webhook }: ServiceTrigger): string[] {
  if (webhook === undefined) return [];
  return 'signingSecret' in calledParams(webhook) ? ['signingSecret'] : [];
}

function describeTrigger(file: ServiceFile, trigger: ServiceTrigger): OperatorInfo {
  const parameters = parametersOf(file, trigger);
  const { poll, webhook } = trigger;
  // Nothing is asked of a service at which a person enters the address.
  const asks = poll !== undefined || webhook?.register !== undefined;
  const properties = {
    ...(asks && connectionParam(file)),
    ...paramsOf(file, parameters),
    ...(poll && POLL_PARAMS),
    ...(webhook && calledParams(webhook)),
  };
  const given = paramsSchema(file, properties, parameters);
  const required = [...((given['required'] as string[] | undefined) ?? []), ...calledRequired(trigger)];
  return {
    ...wordsOf(file, trigger),
    params: { ...given, ...(required.length > 0 && { required }) },
    ...optionsOf(parameters, []),
    inputs: [],
    outputs: [{ name: 'out', doc: 'What has happened.', kind: 'value', schema: itemOf(file, trigger) }],
    ...PLAIN_FACTS,
    effects: 'read',
    trigger: true,
    source: true,
    ...(webhook && { called: webhook.register === undefined ? ('hand' as const) : ('itself' as const) }),
    literalParams: 'connection' in properties ? ['connection'] : [],
    examples: [exampleOfTrigger(file, trigger, properties)],
  };
}

function exampleOfTrigger(
  file: ServiceFile,
  trigger: ServiceTrigger,
  properties: Readonly<Record<string, JsonSchema>>,
): OperatorInfo['examples'][number] {
  const params = {
    ...('connection' in properties && exampleConnection(file)),
    ...exampleParams(parametersOf(file, trigger)),
    ...('signingSecret' in properties && { signingSecret: { $secret: `${file.id}_signing` } }),
  };
  return { title: trigger.title, params, outputs: { out: trigger.example } };
}

function exampleParams(parameters: readonly ServiceParameter[]): Record<string, unknown> {
  const required = parameters.filter((one) => one.required);
  return Object.fromEntries(
    required.map(({ name, schema }) => [name, schema['default'] ?? schema['example'] ?? `${name}`]),
  );
}

function itemOf(file: ServiceFile, { schema, poll }: ServiceTrigger): JsonSchema {
  const { definitions } = file;
  if (poll === undefined || Object.keys(schema).length > 0) return inlined(schema, definitions);
  const call = file.calls.find(({ id }) => id === poll.call);
  const { items } = call === undefined ? {} : outputOf(file, call);
  return typeof items === 'object' && items !== null ? inlined(items as JsonSchema, definitions) : {};
}
