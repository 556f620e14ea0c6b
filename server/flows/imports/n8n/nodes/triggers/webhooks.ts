import type { Context } from '../../context.ts';
import { firstOf } from '../../items.ts';
import { type Entry, NotHere } from '../../entry.ts';
import type { Port } from '../../graph.ts';
import { gives, type Given } from '../../job.ts';
import { isFile, readsFiles } from '../../item-files.ts';
import { asText } from '../../params.ts';
import { pathOf, triggered } from '../../trigger-item.ts';

/** Webhooks, and what answers their callers. */

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

function webhook(context: Context): Given {
  const { params, job, step } = context;
  const path = pathOf(params.text('path') ?? step.name);
  context.changed('setting', 'Its address is below the prefix of triggers; callers have to be told.', {
    before: `/webhook/${params.text('path') ?? ''}`,
    after: `/api/v1/awel/trigger${path}`,
  });
  untold(context);
  const methods = methodsOf(context);
  const hasBody = methods.some((one) => one !== 'GET' && one !== 'DELETE');
  const node = {
    operator: 'trigger.http',
    params: {
      path,
      methods,
      auth: authOf(context),
      ...(hasBody && { accept: ['json', 'form', 'text', 'multipart'] }),
    },
  };
  const item = triggered(context, node, itemOf(context));
  const mode = params.text('responseMode') ?? 'onReceived';
  job.answer = mode === 'lastNode' ? answerOf(context) : 'said';
  if (mode === 'onReceived') answerAtOnce(context, item);
  else params.skip('options.responseData', 'options.responseCode', 'responseCode', 'options.responseHeaders');
  if (!params.flag('multipleMethods') || askedMethods(context).length < 2) return gives(item);
  return { outputs: byMethod(context, item), item };
}

/** Files that were sent are fields of the item, if anything reads files. */
function itemOf({ params, step, job }: Context): string | Record<string, string> {
  const fields = {
    headers: 'trigger.headers',
    params: 'trigger?.params ?? { }',
    query: 'trigger?.query ?? { }',
    body: 'trigger?.body ?? { }',
  };
  const prefix = params.text('options.binaryPropertyName');
  const isRead = [...job.workflow.steps.values()].some((other) => other !== step && readsFiles(other));
  if (!isRead)
    return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, `{{ ${value} }}`]));
  const body = 'trigger?.body ?? null';
  const sent = `(typeOf(${body}) == "object" ? entries(trigger.body) : []).filter(one => ${isFile('one[1]')})`;
  const named =
    prefix === undefined ? sent : `${sent}.map((one, at) => [${JSON.stringify(prefix)} + at, one[1]])`;
  const parts = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `{{ { ...fromEntries(${named}), ${parts.join(', ')} } }}`;
}

/** With several methods there is an output for each of them, in their order. */
function byMethod(context: Context, item: Port): (Port | undefined)[] {
  const { step } = context;
  const asked = askedMethods(context);
  const cases = asked
    .filter((one) => METHODS.has(one))
    .map((one) => ({ name: one.toLowerCase(), when: `{{ trigger.method == ${JSON.stringify(one)} }}` }));
  const id = context.add(`${step.name} method`, { operator: 'logic.switch', params: { cases } });
  context.wire(item, `${id}.in`);
  return asked.map((one, at) =>
    METHODS.has(one)
      ? context.port(id, one.toLowerCase(), {
          card: 'one',
          aligned: item.aligned,
          triggers: item.triggers,
          taken: new Map([[`${step.name} method`, at]]),
        })
      : undefined,
  );
}

function askedMethods({ params }: Context): string[] {
  const given = params.get('httpMethod') ?? 'GET';
  return (Array.isArray(given) ? given : [given]).map(asText);
}

function methodsOf(context: Context): string[] {
  const asked = askedMethods(context);
  const methods = asked.filter((one) => METHODS.has(one));
  if (methods.length < asked.length)
    context.changed('setting', 'The method HEAD starts nothing here.', {
      before: asked.join(', '),
      lost: true,
    });
  return methods.length > 0 ? methods : ['GET'];
}

/** Settings that have no place here; those that only matter to the caller's browser are told. */
function untold(context: Context): void {
  const { params } = context;
  params.skip(
    'options.ignoreBots',
    'options.binaryPropertyName',
    'options.rawBody',
    'options.noResponseBody',
  );
  for (const [path, message] of [
    ['options.ipWhitelist', 'A list of allowed addresses belongs into the proxy in front of the server.'],
    ['options.allowedOrigins', 'Allowed origins are a setting of the server (WEFT_CORS_ORIGINS).'],
  ] as const) {
    const value = params.text(path);
    if (value !== undefined && value !== '*')
      context.changed('setting', message, { before: value, lost: true });
  }
}

function answerAtOnce(context: Context, item: Port): void {
  const { params, step } = context;
  const id = context.add(`${step.name} received`, {
    operator: 'core.respond',
    params: {
      status: statusOf(context) ?? 200,
      ...headersOf(context),
      body: params.get('options.responseData') ?? { message: 'Workflow was started' },
    },
  });
  context.wire(item, `${id}.in`);
}

function answerOf({ params }: Context): 'first' | 'all' | 'nothing' {
  const data = params.text('responseData') ?? 'firstEntryJson';
  if (data === 'noData') return 'nothing';

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
    typeof name === 'string' && name !== '' ? [[name, asText(value ?? '')] as const] : [],
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
      .map(({ name, value }) => [asText(name), context.text(value, reads)]),
  );
  params.skip('enableResponseOutput');
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
  return fileAnswered(context, kind);
}

/** The file in a field of the item, or the first one that it has. */
function fileAnswered({ params }: Context, kind: string): Record<string, unknown> {
  if (kind !== 'binary')
    throw new NotHere(`it answers with “${kind}”`, ['core.respond with a file or a text of your own']);
  const name = params.text('inputFieldName') ?? 'data';
  const given =
    params.text('responseDataSource') === 'set' ? `[input?.[${JSON.stringify(name)}]]` : 'values(input)';
  // Without a file it is an error, as there.
  return { body: `{{ ${given}.filter(one => ${isFile('one')})[0] }}` };
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

export const webhookEntries: readonly Entry[] = [
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
];
