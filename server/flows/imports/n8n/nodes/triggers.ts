import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { listPort } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import type { Port } from '../graph.ts';
import { gives, type Given } from '../job.ts';
import { cronsOf } from '../schedules.ts';

/** What starts a workflow, and what answers its caller. */

/** A trigger, and an item made of what it gives. */
function triggered(
  context: Context,
  node: { operator: string; params?: Record<string, unknown> },
  value: string | Record<string, unknown>,
): Port {
  const { step } = context;
  const id = context.add(step.name, node);
  const item = context.add(`${step.name} item`, { operator: 'core.map', params: { value } });
  context.wire(`${id}.out`, `${item}.in`);
  return context.port(item, 'out', {
    card: 'one',
    aligned: new Set([step.name]),
    triggers: new Set([step.name]),
  });
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function webhook(context: Context): Given {
  const { params, job, step } = context;
  const given = params.get('httpMethod') ?? 'GET';
  const asked = (Array.isArray(given) ? given : [given]).map(String);
  const methods = asked.filter((one) => METHODS.has(one));
  if (methods.length < asked.length)
    context.changed('setting', 'The method HEAD starts nothing here.', {
      before: asked.join(', '),
      lost: true,
    });
  const path = pathOf(params.text('path') ?? step.name);
  context.changed('setting', 'Its address is below the prefix of triggers; callers have to be told.', {
    before: `/webhook/${params.text('path') ?? ''}`,
    after: `/api/v1/awel/trigger${path}`,
  });
  params.skip(
    'multipleMethods',
    'options.ignoreBots',
    'options.allowedOrigins',
    'options.ipWhitelist',
    'options.binaryPropertyName',
    'options.rawBody',
    'options.noResponseBody',
  );
  for (const [name, what] of [
    ['options.ipWhitelist', 'A list of allowed addresses belongs into the proxy in front of the server.'],
    ['options.allowedOrigins', 'Allowed origins are a setting of the server (WEFT_CORS_ORIGINS).'],
  ] as const) {
    const value = params.get(name);
    if (typeof value === 'string' && value !== '' && value !== '*')
      context.changed('setting', what, { before: value, lost: true });
  }
  const mode = params.text('responseMode') ?? 'onReceived';
  const response = mode === 'lastNode' ? answerOf(context) : mode === 'responseNode' ? 'said' : undefined;
  if (response !== undefined) job.answer = response;
  const auth = authOf(context);
  const node = {
    operator: 'trigger.http',
    params: {
      path,
      methods: methods.length > 0 ? methods : ['GET'],
      auth,
      ...(methods.some((one) => one !== 'GET' && one !== 'DELETE') && {
        accept: ['json', 'form', 'text', 'multipart'],
      }),
    },
  };
  const item = triggered(context, node, {
    headers: '{{ trigger.headers }}',
    params: '{{ trigger?.params ?? { } }}',
    query: '{{ trigger?.query ?? { } }}',
    body: '{{ trigger?.body ?? { } }}',
  });
  if (mode === 'onReceived') {
    job.answer = 'said';
    const id = context.add(`${step.name} received`, {
      operator: 'core.respond',
      params: {
        status: statusOf(context) ?? 200,
        ...headersOf(context),
        body: params.get('options.responseData') ?? { message: 'Workflow was started' },
      },
    });
    context.wire(item, `${id}.in`);
  } else
    params.skip('options.responseData', 'options.responseCode', 'responseCode', 'options.responseHeaders');
  return gives(item);
}

/** The path of a trigger; characters that none may have are percent-encoded. */
function pathOf(given: string): string {
  const path = given.replace(/^\/+/, '').replace(/\/+$/, '');
  return `/${path.replaceAll(/[\s?#]|\{\{/g, (sign) => encodeURIComponent(sign))}`;
}

function answerOf({ params }: Context): 'first' | 'all' | 'nothing' {
  const data = params.text('responseData') ?? 'firstEntryJson';
  if (data === 'noData') return 'nothing';
  params.skip('options.responsePropertyName', 'options.responseContentType');
  return data === 'allEntries' ? 'all' : 'first';
}

function statusOf({ params }: Context): number | undefined {
  const given =
    params.number('options.responseCode.values.responseCode') ??
    params.number('options.responseCode.values.customCode') ??
    params.number('options.responseCode') ??
    params.number('responseCode');
  return given !== undefined && given >= 200 && given <= 599 ? given : undefined;
}

function headersOf({ params }: Context): { headers?: Record<string, string> } {
  const entries = params.list('options.responseHeaders.entries');
  const named = entries.flatMap(({ name, value }) =>
    typeof name === 'string' && name !== '' ? [[name, String(value ?? '')] as const] : [],
  );
  return named.length === 0 ? {} : { headers: Object.fromEntries(named) };
}

function authOf(context: Context): unknown {
  const { params, step, job } = context;
  const kind = params.text('authentication') ?? 'none';
  const credential = step.credentials[0]?.name ?? kind;
  if (kind === 'none') return 'none';
  const secret = job.secrets.nameFor(credential);
  const need = (message: string): void =>
    job.report.need({ kind: 'secret', name: secret, nodes: [], service: step.name, message });
  if (kind === 'basicAuth') {
    need(
      `Store the password of the credential “${credential}” as the secret ${secret}, and write its user name into “${step.name}”.`,
    );
    return { type: 'basic', user: 'user', secret: { $secret: secret } };
  }
  if (kind === 'headerAuth') {
    need(
      `Store the value of the credential “${credential}” as the secret ${secret}, and write the name of its header into “${step.name}”.`,
    );
    return { type: 'header', secret: { $secret: secret } };
  }
  if (kind === 'jwtAuth') {
    need(`Store the key of the credential “${credential}” as the secret ${secret}.`);
    return { type: 'jwt-secret', secret: { $secret: secret } };
  }
  return 'api-key';
}

function respond(context: Context): Given {
  const { params, job, step } = context;
  job.answer = 'said';
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const kind = params.text('respondWith') ?? 'firstIncomingItem';
  const isList = input.card === 'many';
  // Texts are worked out once, for the first item.
  const source = isList && kind !== 'allIncomingItems' ? firstOf(context, input) : input;
  const reads = context.reads(source);
  const status = statusOf(context);
  const headers = new Map(
    params
      .list('options.responseHeaders.entries')
      .map(({ name, value }) => [String(name), context.text(value, reads)]),
  );
  params.skip('options.responseKey', 'options.enableStreaming', 'enableResponseOutput');
  const id = context.add(step.name, {
    operator: 'core.respond',
    params: {
      ...answered(context, kind, { reads, headers, isList, hasStatus: status !== undefined }),
      ...(status !== undefined && { status }),
      ...(headers.size > 0 && { headers: Object.fromEntries(headers) }),
    },
  });
  context.wire(source, `${id}.in`);
  return { outputs: [input], item: input };
}

function firstOf(context: Context, input: Port): Port {
  const list = listPort(context, input) as Port;
  const id = context.add(`${context.step.name} first`, {
    operator: 'core.map',
    params: { value: '{{ input[0] }}' },
  });
  context.wire(list, `${id}.in`);
  return context.port(id, 'out', {
    card: 'one',
    aligned: new Set(),
    taken: input.taken,
    triggers: input.triggers,
  });
}

interface Answering {
  readonly reads: ReturnType<Context['reads']>;
  readonly headers: Map<string, string>;
  readonly isList: boolean;
  readonly hasStatus: boolean;
}

function answered(
  context: Context,
  kind: string,
  { reads, headers, isList, hasStatus }: Answering,
): Record<string, unknown> {
  const { params } = context;
  const key = params.text('options.responseKey');
  const keyed = (value: string): Record<string, unknown> => ({
    body: key === undefined ? `{{ ${value} }}` : { [key]: `{{ ${value} }}` },
  });
  if (kind === 'allIncomingItems') return keyed(isList ? 'input' : '[input]');
  if (kind === 'firstIncomingItem') return keyed('input');
  if (kind === 'noData') return { body: '', ...(!hasStatus && { status: 200 }) };
  if (kind === 'redirect') {
    headers.set('location', context.text(params.get('redirectURL'), reads));
    return { body: '', ...(!hasStatus && { status: 307 }) };
  }
  if (kind === 'text') {
    if (![...headers.keys()].some((name) => name.toLowerCase() === 'content-type'))
      headers.set('content-type', 'text/html; charset=utf-8');
    return { body: context.text(params.get('responseBody') ?? '', reads) };
  }
  if (kind === 'json') return { body: jsonBody(context, params.get('responseBody'), reads) };
  throw new NotHere(`it answers with “${kind}”`, ['core.respond with a file or a text of your own']);
}

/** A JSON text, or an expression that gives a value or a JSON text. */
function jsonBody(context: Context, given: unknown, reads: Answering['reads']): unknown {
  if (typeof given !== 'string') return context.value(given ?? {}, reads);
  if (!given.startsWith('=')) {
    try {
      return context.value(JSON.parse(given), reads);
    } catch {
      return context.value(given, reads);
    }
  }
  const said = context.expr(given, reads);
  const [, inner] = /^toJson\((.*)\)$/s.exec(said) ?? [];
  if (inner !== undefined) return `{{ ${inner} }}`;
  return said.startsWith('`') || said.startsWith('"') ? `{{ json(${said}) }}` : `{{ ${said} }}`;
}

function manual(context: Context): Given {
  const id = context.add(context.step.name, { operator: 'trigger.manual' });
  const item = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: '{{ input ?? { } }}' },
  });
  context.wire(`${id}.out`, `${item}.in`);
  return gives(
    context.port(item, 'out', {
      card: 'one',
      aligned: new Set([context.step.name]),
      triggers: new Set([context.step.name]),
    }),
  );
}

/** A workflow that others call: they give its items. */
function called(context: Context): Given {
  const { params, step } = context;
  params.skip('inputSource', 'workflowInputs', 'jsonExample');
  const id = context.add(step.name, { operator: 'trigger.manual' });
  const items = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: { value: '{{ [input].flat() }}' },
  });
  context.wire(`${id}.out`, `${items}.in`);
  return gives(
    context.port(items, 'out', {
      card: 'many',
      aligned: new Set([step.name]),
      triggers: new Set([step.name]),
      mayBeEmpty: true,
    }),
  );
}

const TIMES = {
  timestamp: '{{ input.at }}',
  'Readable date': '{{ formatDate(input.at, "LLLL d yyyy, HH:mm:ss") }}',
  'Readable time': '{{ formatDate(input.at, "HH:mm:ss") }}',
  'Day of week': '{{ formatDate(input.at, "cccc") }}',
  Year: '{{ formatDate(input.at, "yyyy") }}',
  Month: '{{ formatDate(input.at, "LLLL") }}',
  'Day of month': '{{ formatDate(input.at, "dd") }}',
  Hour: '{{ formatDate(input.at, "HH") }}',
  Minute: '{{ formatDate(input.at, "mm") }}',
  Second: '{{ formatDate(input.at, "ss") }}',
  Timezone: '{{ formatDate(input.at, "z") }}',
};

function schedule(context: Context): Given {
  const { params, step, job } = context;
  const zone = job.workflow.settings['timezone'];
  const timezone = typeof zone === 'string' && zone !== '' && zone !== 'DEFAULT' ? zone : 'UTC';
  const rules = step.kind === 'cron' ? params.list('triggerTimes.item') : params.list('rule.interval');
  if (step.kind === 'interval')
    rules.push({ field: params.text('unit') ?? 'seconds', every: params.number('interval') ?? 1 });
  const crons = cronsOf(rules.length > 0 ? rules : [{ field: 'days' }], (message) =>
    context.changed('setting', message),
  );
  const ids = crons.map((cron, i) =>
    context.add(i === 0 ? step.name : `${step.name} ${i + 1}`, {
      operator: 'trigger.schedule',
      params: { cron, timezone, catchUp: 'none' },
    }),
  );
  const item = context.add(`${step.name} item`, { operator: 'core.map', params: { value: TIMES } });
  if (ids.length === 1) context.wire(`${ids[0]}.out`, `${item}.in`);
  else {
    const merge = context.add(`${step.name} any`, { operator: 'core.merge' });
    for (const id of ids) context.wire(`${id}.out`, `${merge}.in`);
    context.wire(`${merge}.out`, `${item}.in`);
  }
  return gives(
    context.port(item, 'out', { card: 'one', aligned: new Set([step.name]), triggers: new Set([step.name]) }),
  );
}

function form(context: Context): Given {
  const { params, step, job } = context;
  const fields = params.list('formFields.values').flatMap((field, i) => formField(field, i));
  const names = fields.map(({ name, label }) => [label, name] as const);
  const mode = params.text('responseMode') ?? 'onReceived';
  const path = pathOf(
    params.text('path') ?? params.text('options.path') ?? step.name.toLowerCase().replaceAll(/\W+/g, '-'),
  );
  params.skip(
    'authentication',
    'options.buttonLabel',
    'options.appendAttribution',
    'options.respondWithOptions',
    'options.useWorkflowTimezone',
    'options.ignoreBots',
    'responseMode',
  );
  context.changed('setting', 'Its address is below /form; people have to be told.', {
    after: `/form${path}`,
  });
  const shown =
    params.text('options.formSubmittedText') ??
    params.text('options.respondWithOptions.values.formSubmittedText');
  const redirect = params.text('options.respondWithOptions.values.redirectUrl');
  job.answer = mode === 'onReceived' ? 'nothing' : 'first';
  const button = params.text('options.buttonLabel');
  const node = {
    operator: 'trigger.form',
    params: {
      path,
      title: params.text('formTitle') ?? step.name,
      ...(params.text('formDescription') !== undefined && { text: params.text('formDescription') }),
      fields,
      ...(button !== undefined && { button }),
      ...(shown !== undefined && { message: shown }),
      ...(redirect !== undefined && { after: 'redirect', redirect }),
      ...(mode === 'lastNode' && redirect === undefined && { after: 'result' }),
    },
  };
  const value = Object.fromEntries([
    ...names.map(([label, name]) => [label, `{{ input?.${name} }}`] as const),
    ['submittedAt', '{{ now() }}'] as const,
    ['formMode', 'production'] as const,
  ]);
  return gives(triggered(context, node, value));
}

const FIELD_TYPES: Readonly<Record<string, string>> = {
  textarea: 'longtext',
  number: 'number',
  date: 'date',
  dropdown: 'choice',
  checkbox: 'choice',
  radio: 'choice',
  file: 'file',
};

function formField(
  field: Readonly<Record<string, unknown>>,
  at: number,
): { name: string; label: string; [key: string]: unknown }[] {
  const label = String(field['fieldLabel'] ?? field['fieldName'] ?? `Field ${at + 1}`);
  if (field['fieldType'] === 'html' || field['fieldType'] === 'hiddenField') return [];
  const options =
    isRecord(field['fieldOptions']) && Array.isArray(field['fieldOptions']['values'])
      ? field['fieldOptions']['values']
      : [];
  const choices = options.flatMap((one: unknown) =>
    isRecord(one) && typeof one['option'] === 'string' ? [one['option']] : [],
  );
  const type = FIELD_TYPES[String(field['fieldType'] ?? 'text')] ?? 'text';
  return [
    {
      name: `field_${at + 1}`,
      label,
      type: type === 'choice' && choices.length === 0 ? 'text' : type,
      required: field['requiredField'] === true,
      ...(type === 'choice' && choices.length > 0 && { choices }),
    },
  ];
}

function chat(context: Context): Given {
  const { params, step } = context;
  params.skip('public', 'mode', 'authentication', 'initialMessages', 'options', 'availableInChat');
  const node = { operator: 'trigger.chat', params: { title: step.name } };
  return gives(
    triggered(context, node, {
      sessionId: '{{ input?.conv_uid ?? run.id }}',
      action: 'sendMessage',
      chatInput: '{{ input?.text ?? last(input?.messages ?? [])?.content }}',
    }),
  );
}

function failed(context: Context): Given {
  const value = {
    execution: {
      id: '{{ input?.run }}',
      error: { message: '{{ input?.error?.message }}', name: '{{ input?.error?.code }}' },
      lastNodeExecuted: '{{ input?.error?.node }}',
    },
    workflow: { id: '{{ input?.flow }}', name: '{{ input?.flow }}' },
  };
  return gives(triggered(context, { operator: 'trigger.manual' }, value));
}

export const triggerEntries: readonly Entry[] = [
  {
    kind: 'webhook',
    versions: '1 to 2.1',
    word: 'equal',
    becomes: '`trigger.http`, and an item of `headers`, `params`, `query` and `body`',
    difference:
      'Its address is below `/api/v1/awel/trigger`, and it asks for an API key unless that is turned off.',
    convert: webhook,
  },
  {
    kind: 'respondToWebhook',
    versions: '1 to 1.4',
    word: 'equal',
    becomes: '`core.respond`',
    convert: respond,
  },
  { kind: 'manualTrigger', word: 'equal', becomes: '`trigger.manual`', convert: manual },
  { kind: 'start', word: 'equal', becomes: '`trigger.manual`', convert: manual },
  {
    kind: 'scheduleTrigger',
    versions: '1 to 1.2',
    word: 'close',
    becomes: '`trigger.schedule`',
    difference: 'Intervals that do not divide a day, a month or a year begin anew with each of them.',
    convert: schedule,
  },
  {
    kind: 'cron',
    word: 'close',
    becomes: '`trigger.schedule`',
    difference: 'Intervals that do not divide a day begin anew with each day.',
    convert: schedule,
  },
  {
    kind: 'interval',
    word: 'close',
    becomes: '`trigger.schedule`',
    difference: 'Intervals that do not divide a day begin anew with each day.',
    convert: schedule,
  },
  {
    kind: 'executeWorkflowTrigger',
    word: 'equal',
    becomes: '`trigger.manual`, whose input are the items',
    convert: called,
  },
  {
    kind: 'formTrigger',
    versions: '1 to 2.3',
    word: 'close',
    becomes: '`trigger.form`',
    difference: 'The form looks other, and its address is below `/form`.',
    convert: form,
  },
  {
    kind: 'chatTrigger',
    word: 'close',
    becomes: '`trigger.chat`',
    difference:
      'People chat over the pages and the API of chats here; the hosted chat page of the original is none of them.',
    convert: chat,
  },
  {
    kind: 'manualChatTrigger',
    word: 'close',
    becomes: '`trigger.chat`',
    difference: 'People chat over the pages and the API of chats here.',
    convert: chat,
  },
  {
    kind: 'errorTrigger',
    word: 'close',
    becomes: '`trigger.manual` of the flow that `settings.onFailure` names',
    difference: 'The error has a code in place of a stack.',
    convert: failed,
  },
];
