import { isRecord } from '#shared/json.ts';
import { asText } from '../params.ts';
import { isSecretText, schemeOf } from '../../frame/secrets.ts';
import type { Context } from '../context.ts';
import { itemwise } from '../items.ts';
import { answerOf, itemsOf } from './http-answers.ts';
import { paged, type Requested } from './http-pages.ts';
import type { Entry } from '../entry.ts';
import type { Reads } from '../expressions/reads.ts';
import { isExpression } from '../expressions/templates.ts';
import { gives, type Given } from '../job.ts';

/** HTTP Request, of version 1 to 4. */

interface Field {
  readonly name: string;
  readonly value: unknown;
  /** A file of the item, by the name of its field. */
  readonly isFile?: boolean;
}

/** A request as it is being put together. */
interface Sending {
  readonly context: Context;
  readonly reads: Reads;
  auth: unknown;
  connection: string | undefined;
}

export function request(context: Context): Given {
  const input = context.input();
  const answer = answerOf(context);
  const pages = paged(context, input, answer, requestOf);
  if (pages) return gives(pages);
  const { params, noteUses } = requestOf(context, input);
  const { params: given } = context;
  const batch = given.number('options.batching.batch.batchSize') ?? given.number('options.batchSize');
  const node = {
    operator: 'http.request',
    params: {
      ...params,
      ...(answer.response !== undefined && { response: answer.response }),
    },
  };
  const id = itemwise(context, input, node, {
    ...(batch !== undefined && batch > 0 && { atOnce: Math.min(batch, 100) }),
  });
  noteUses(id);
  return gives(itemsOf(context, input, id, answer));
}

function requestOf(context: Context, input: ReturnType<Context['input']>): Requested {
  const sending: Sending = { context, reads: context.reads(input), auth: undefined, connection: undefined };
  const params = requestParams(sending);
  const { params: given } = context;
  const neverFails =
    given.flag('options.response.response.neverError') || given.flag('options.ignoreResponseCode');
  const timeout = given.number('options.timeout');
  untold(context);
  return {
    noteUses: (id) => (['connection', 'secret'] as const).forEach((need) => noteUse(sending, need, id)),
    params: {
      ...params,
      ...(neverFails && { failOn: [] }),
      ...redirects(context),
      ...(timeout !== undefined && timeout > 0 && { timeoutMs: Math.min(Math.trunc(timeout), 3_600_000) }),
    },
  };
}

function noteUse({ context, auth, connection }: Sending, kind: 'connection' | 'secret', id: string): void {
  const secret = isRecord(auth) && isRecord(auth['secret']) ? auth['secret']['$secret'] : undefined;
  const name = kind === 'connection' ? connection : secret;
  if (typeof name === 'string') context.job.report.use(kind, name, id);
}

function requestParams(sending: Sending): Record<string, unknown> {
  const { context, reads } = sending;
  const { params, step } = context;
  const method = asText(params.get('method') ?? params.get('requestMethod') ?? 'GET').toUpperCase();
  const query = fieldsOf(sending, 'query');
  const headers = fieldsOf(sending, 'header');
  signIn(sending);
  const url = address(sending, params.get('url'), query);
  const sent = bodyOf(sending, method);
  return {
    method,
    ...(sending.connection !== undefined && { connection: sending.connection }),
    url: url === '' ? `https://${step.name}` : url,
    ...fields('query', query, (field) => withoutSecret(sending, field, 'query')),
    ...fields('headers', headers, (field) => withoutSecret(sending, field, 'header')),
    ...sent,
    ...(sending.auth !== undefined && { auth: sending.auth }),
  };

  function fields(name: string, from: Fields, value: (field: Field) => unknown): Record<string, unknown> {
    if (from.whole !== undefined) return { [name]: from.whole };
    const kept = from.fields.flatMap((field): [string, unknown][] => {
      const one = value(field);
      return one === undefined
        ? []
        : [[field.name, name === 'headers' ? context.text(one, reads) : context.value(one, reads)]];
    });
    return kept.length === 0 ? {} : { [name]: Object.fromEntries(kept) };
  }
}

interface Fields {
  readonly fields: Field[];
  /** An object that is given as JSON or as an expression. */
  readonly whole?: unknown;
}

const UI = { query: 'queryParametersUi', header: 'headerParametersUi', body: 'bodyParametersUi' } as const;
const UPPER = { query: 'Query', header: 'Headers', body: 'Body' } as const;

/** Fields of the query, the headers or the body, in the forms that all versions have. */
function fieldsOf({ context, reads }: Sending, kind: keyof typeof UI): Fields {
  const { params, step } = context;
  const isNew = step.version >= 3;
  const send = params.get(`send${UPPER[kind]}`);
  const json = params.get(
    kind === 'header' && isNew ? 'jsonHeaders' : isNew ? `json${UPPER[kind]}` : `${kind}ParametersJson`,
  );
  const list = [
    ...params.list(`${kind}Parameters.parameters`),
    ...params.list(`${UI[kind]}.parameter`),
    ...params.list(`options.${kind}Parameters.parameter`),
  ];
  const specify = params.get(`specify${UPPER[kind]}`);
  if (isNew && send !== true) return { fields: [] };
  if (isNew ? specify === 'json' : params.flag('jsonParameters') || params.flag('options.jsonParameters'))
    return jsonFields(context, json, reads);
  return {
    fields: list.flatMap((one) =>
      typeof one['name'] === 'string' && one['name'] !== ''
        ? [
            {
              name: one['name'],
              value: one['parameterType'] === 'formBinaryData' ? one['inputDataFieldName'] : one['value'],
              isFile: one['parameterType'] === 'formBinaryData',
            },
          ]
        : [],
    ),
  };
}

function jsonFields(context: Context, json: unknown, reads: Reads): Fields {
  if (json === undefined || json === '') return { fields: [] };
  if (typeof json === 'string' && !isExpression(json)) {
    try {
      const value: unknown = JSON.parse(json);
      if (isRecord(value))
        return { fields: Object.entries(value).map(([name, one]) => ({ name, value: one })) };
    } catch {
      // It is told below, as it would fail there too.
    }
  }
  return { fields: [], whole: jsonValue(context, json, reads) };
}

/** JSON that is written as a text, with expressions in it or as one. */
export function jsonValue(context: Context, json: unknown, reads: Reads): unknown {
  if (typeof json !== 'string') return context.value(json, reads);
  if (!isExpression(json)) {
    try {
      return context.value(JSON.parse(json), reads);
    } catch {
      context.changed('setting', 'It is not valid JSON, and is sent as a text.', { before: json });
      return context.value(json, reads);
    }
  }
  const said = context.expr(json, reads);
  const [, inner] = /^toJson\((.*)\)$/s.exec(said) ?? [];
  if (inner !== undefined) return `{{ ${inner} }}`;
  return said.startsWith('`') || said.startsWith('"') ? `{{ json(${said}) }}` : `{{ ${said} }}`;
}

/** The kinds of credentials that are sent as a header, a password or a field of the query. */
const GENERIC: Readonly<Record<string, (name: string) => Record<string, unknown>>> = {
  httpBasicAuth: () => ({ type: 'basic', username: 'user' }),
  basicAuth: () => ({ type: 'basic', username: 'user' }),
  httpHeaderAuth: () => ({ type: 'header', name: 'Authorization' }),
  headerAuth: () => ({ type: 'header', name: 'Authorization' }),
  httpBearerAuth: () => ({ type: 'bearer' }),
  httpQueryAuth: () => ({ type: 'query', name: 'key' }),
  queryAuth: () => ({ type: 'query', name: 'key' }),
};

function signIn(sending: Sending): void {
  const { context } = sending;
  const { params, step, job } = context;
  const way = params.text('authentication') ?? 'none';
  const type =
    way === 'predefinedCredentialType'
      ? params.text('nodeCredentialType')
      : way === 'genericCredentialType'
        ? params.text('genericAuthType')
        : way;
  params.skip('nodeCredentialType', 'genericAuthType');
  if (way === 'none' || type === undefined) return;
  const credential =
    step.credentials.find((one) => one.type === type)?.name ?? step.credentials[0]?.name ?? type;
  const generic = GENERIC[type];
  if (generic) {
    const secret = job.secrets.nameFor(credential);
    sending.auth = { ...generic(credential), secret: { $secret: secret } };
    job.report.need({
      kind: 'secret',
      name: secret,
      nodes: [],
      service: type,
      message: `Store what the credential “${credential}” holds as the secret ${secret}, grant it to http.request, and check how it is sent in “${step.name}”.`,
    });
    return;
  }
  sending.connection = job.connection(credential, type);
}

/** The address; what looks like a key in it is taken out. */
function address(sending: Sending, given: unknown, query: Fields): string {
  const { context, reads } = sending;
  if (typeof given !== 'string') return context.text(given, reads);
  const [plain, ...rest] = given.split('?');
  if (isExpression(given) || rest.length === 0 || query.whole !== undefined)
    return withoutSecretInPath(sending, given);
  const kept: string[] = [];
  for (const field of rest.join('?').split('&')) {
    const [name = '', value = ''] = field.split('=');
    if (isSecretText(decoded(name), decoded(value)) && sending.auth === undefined) {
      sending.auth = secretAuth(
        sending,
        { type: 'query', name: decoded(name) },
        decoded(value),
        decoded(name),
      );
    } else kept.push(field);
  }
  return withoutSecretInPath(sending, kept.length === 0 ? (plain as string) : `${plain}?${kept.join('&')}`);
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Telegram's addresses have the token in the path. */
function withoutSecretInPath(sending: Sending, given: string): string {
  const { context, reads } = sending;
  const [, token] = /\/bot(\d{6,}:[\w-]{20,})/.exec(given) ?? [];
  if (token === undefined || sending.auth !== undefined) return context.text(given, reads);
  sending.auth = secretAuth(sending, { type: 'address' }, token, 'bot_token');
  return context.text(given.replace(token, '{secret}'), reads);
}

function secretAuth(
  { context }: Sending,
  auth: Record<string, unknown>,
  value: string,
  hint: string,
): Record<string, unknown> {
  const { secrets, report } = context.job;
  const secret = secrets.take(value, hint);
  context.changed('secret', `What stood in “${hint}” is now the secret ${secret}.`);
  report.need({
    kind: 'secret',
    name: secret,
    nodes: [],
    kept: true,
    message: `Grant the secret ${secret} to the host that “${context.step.name}” calls.`,
  });
  return { ...auth, secret: { $secret: secret } };
}

/** A header or field of the query, unless it is a secret, which becomes the sign-in of the request. */
function withoutSecret(sending: Sending, { name, value }: Field, place: 'header' | 'query'): unknown {
  if (!isSecretText(name, value)) return value;
  const { scheme, secret } = schemeOf(value);
  if (sending.auth !== undefined || sending.connection !== undefined) {
    sending.context.changed(
      'secret',
      `A second key, in “${name}”, is not in the flow: make an HTTP connection that sends both.`,
      { lost: true },
    );
    sending.context.job.secrets.take(secret, name);
    return undefined;
  }
  const isBearer = place === 'header' && name.toLowerCase() === 'authorization' && scheme === 'bearer';
  sending.auth = secretAuth(
    sending,
    isBearer ? { type: 'bearer' } : { type: place, name },
    isBearer ? secret : value,
    name,
  );
  return undefined;
}

const BODY_TYPES: Readonly<Record<string, string>> = {
  json: 'json',
  'form-urlencoded': 'form',
  'multipart-form-data': 'multipart',
  raw: 'text',
  binaryData: 'bytes',
};

function bodyOf(sending: Sending, method: string): Record<string, unknown> {
  const { context, reads } = sending;
  const { params, step } = context;
  const type = asText(params.get('contentType') ?? params.get('options.bodyContentType') ?? 'json');
  const isFile = [type === 'binaryData', params.flag('sendBinaryData')].includes(true);
  const isRaw = [type === 'raw', params.get('specifyBody') === 'string'].includes(true);
  const fields = fieldsOf(sending, 'body');
  const file = params.text('inputDataFieldName') ?? params.text('binaryPropertyName') ?? 'data';
  const raw = params.get('body');
  params.skip('rawContentType', 'options.bodyContentCustomMimeType');
  const isSent = step.version >= 3 ? params.flag('sendBody') : !['GET', 'HEAD'].includes(method);
  if (!isSent) return {};
  if (isFile) return { bodyType: 'bytes', body: fileNamed(sending, file) };
  if (isRaw) return { bodyType: 'text', body: context.text(raw, reads), ...rawType(context) };
  const bodyType = BODY_TYPES[type] ?? 'json';
  if (fields.whole !== undefined) return { bodyType, body: fields.whole };
  if (fields.fields.length === 0) return {};
  return {
    bodyType,
    body: Object.fromEntries(fields.fields.map((field) => [field.name, bodyField(sending, field)])),
  };
}

function bodyField(sending: Sending, { name, value, isFile }: Field): unknown {
  return isFile === true ? fileNamed(sending, value) : bodyValue(sending, name, value);
}

/** The file in a field, whose name may be worked out. */
function fileNamed({ context, reads }: Sending, given: unknown): string {
  const name = asText(given ?? 'data');
  if (isExpression(name) && name.includes('{{')) return `{{ input?.[${context.expr(name, reads)}] }}`;
  const plain = name.replace(/^=/, '');
  return /^[A-Za-z_]\w*$/.test(plain) ? `{{ input?.${plain} }}` : `{{ input?.[${JSON.stringify(plain)}] }}`;
}

/** A body cannot name a secret, so one in it is left out, and the flow says so before it goes live. */
function bodyValue({ context, reads }: Sending, name: string, value: unknown): unknown {
  if (!isSecretText(name, value)) return context.value(value, reads);
  context.changed(
    'secret',
    `What stood in the field “${name}” of the body is left out; make a connection that signs in.`,
    { lost: true },
  );
  context.job.secrets.take(value, name);
  return `{{ not_imported(${JSON.stringify(`the secret ${name}`)}) }}`;
}

function rawType({ params }: Context): Record<string, unknown> {
  const type = params.text('rawContentType');
  return type === undefined || type.startsWith('=') ? {} : { headers: { 'content-type': type } };
}

function redirects({ params }: Context): Record<string, unknown> {
  const follow =
    params.get('options.redirect.redirect.followRedirects') ?? params.get('options.followRedirect');
  const most = params.number('options.redirect.redirect.maxRedirects');
  if (follow === false) return { redirects: 0 };
  return most === undefined ? {} : { redirects: Math.min(Math.max(0, Math.trunc(most)), 20) };
}

/** Settings that have no place here. */
function untold(context: Context): void {
  const { params } = context;
  params.skip(
    'options.batching.batch',
    'options.lowercaseHeaders',
    'curlImport',
    'infoMessage',
    'optimizeResponse',
  );
  for (const [path, message] of UNTOLD) {
    const value = params.get(path);
    if (value !== undefined && value !== false && value !== '')
      context.changed('setting', message, { before: JSON.stringify(value), lost: true });
  }
}

const UNTOLD: readonly (readonly [path: string, message: string])[] = [
  [
    'options.allowUnauthorizedCerts',
    'Certificates are always checked; name your own authority in WEFT_CA_FILE.',
  ],
  ['allowUnauthorizedCerts', 'Certificates are always checked; name your own authority in WEFT_CA_FILE.'],
  ['options.proxy', 'A proxy is a setting of the server.'],
  ['provideSslCertificates', 'A certificate of its own is not sent; make a connection that has it.'],
  ['options.queryParameterArrays', 'A list in the address repeats its field: `a=1&a=2`.'],
  [
    'options.batching.batch.batchInterval',
    'The pause between batches is not kept; a rate of the connection limits requests.',
  ],
];

export const httpEntries: readonly Entry[] = [
  {
    kind: 'httpRequest',
    versions: '1 to 4.3',
    word: 'equal',
    becomes: '`http.request`; with pagination `http.pages`',
    difference:
      'Requests to private addresses need WEFT_OUTBOUND_ALLOW. Proxies are left out, and so is pagination that changes a header or uses `$request`; the report names them.',
    convert: request,
  },
];
