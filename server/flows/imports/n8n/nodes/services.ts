import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { beside, type Card, following, type Port } from '../graph.ts';
import { itemwise, spreadItems } from '../items.ts';
import { gives, type Given as Made } from '../job.ts';
import { filePrefix } from '../mails.ts';
import { asText, paramsOf } from '../params.ts';
import type { Given, Next, Request, Service, Use } from '../services/service.ts';
import { services } from '../services/services.ts';

/** Services by their documented addresses, through a connection. */

export function convertService(service: Service, context: Context): Made {
  const { params, step, job } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const given = givenOf(context, input);
  const made = requestOf(service, context)(given);
  params.skip(...SAID_OTHERWISE, ...usualIn(step));
  const connection = connectionOf(service, context);
  const isUse = 'operator' in made;
  if (!isUse && params.get('columns.mappingMode') === 'autoMapInputData')
    throw new NotHere('it takes the columns of whatever comes', [
      'http.request with the columns written out',
      'core.map before it',
    ]);
  const node = isUse
    ? { operator: made.operator, params: { connection, ...made.params } }
    : { operator: 'http.request', params: requestParams(made, connection) };
  const id = itemwise(context, input, node, { atOnce: 1 });
  if (connection !== undefined) job.report.use('connection', connection, id);
  if (!isUse && made.file !== undefined) return fileItem(context, { id, field: made.file }, input);
  if (!isUse && made.next !== undefined)
    return nextOf(context, { id, card: input.card }, made.next, connection);
  const port = context.port(id, isUse ? 'out' : 'body', { card: input.card });
  return itemsOf(context, port, made.items);
}

function itemsOf(context: Context, port: Port, items: string | undefined): Made {
  const each = items === undefined ? undefined : `(one, index) => (${items})`;
  return gives(spreadItems(context, port, port.card, each, true));
}

/** The second request of an operation that takes two. */
function nextOf(
  context: Context,
  { id, card }: { readonly id: string; readonly card: Card },
  { url, body, wait, isConnected = false, items, file }: Next,
  connection: string | undefined,
): Made {
  const { name } = context.step;
  let answer = context.port(id, 'body', { card, ...following(context.input()) });
  if (wait !== undefined) {
    const waits = context.add(`${name} wait`, { operator: 'logic.delay', params: { ms: wait * 1000 } });
    context.wire(answer, `${waits}.in`);
    answer = context.port(waits, 'out', { card, ...following(context.input()) });
  }
  const params = requestParams(
    {
      url,
      ...(body !== undefined && { method: 'POST', bodyType: 'json', body }),
      ...(file !== undefined && { file }),
    },
    isConnected ? connection : undefined,
  );
  const node = { operator: 'http.request', params };
  const second = itemwise(context, answer, node, {
    hint: `${name} ${file === undefined ? 'answer' : 'file'}`,
  });
  if (file !== undefined) return fileItem(context, { id: second, field: file }, answer);
  return itemsOf(context, context.port(second, 'body', { card }), items);
}

/** The connection for the node's credential; undefined for a service that asks for none. */
function connectionOf({ kind, credential, open }: Service, { step, job }: Context): string | undefined {
  if (open === true && step.credentials.length === 0) return undefined;
  const name = kind.slice(kind.lastIndexOf('.') + 1);
  const given = step.credentials[0] ?? { name, type: credential };
  return job.connection(given.name, given.type);
}

/** Params whose meaning is in the request, or that only matter to the form of n8n. */
const SAID_OTHERWISE = [
  'authentication',
  'select',
  'columns',
  'options.appendAttribution',
  'jsonParameters',
  'simple',
  'messageType',
  'otherOptions.includeLinkToWorkflow',
  'additionalFields.appendAttribution',
  'sheetName',
  'documentId',
];

/** Settings with the value that they have anyway. */
const USUAL: readonly (readonly [path: string, values: readonly unknown[]])[] = [
  ['driveId', ['My Drive', 'root']],
  ['folderId', ['root', 'default']],
  ['otherOptions.mrkdwn', [true]],
  // How rows are written there, with the same result.
  ['options.useAppend', [true]],
  ['replyMarkup', ['none']],
  ['options.singleEvents', [true]],
  ['filterType', ['manual']],
];

function usualIn({ parameters }: Context['step']): string[] {
  const params = paramsOf(parameters);
  return USUAL.filter(([path, values]) => values.includes(params.get(path))).map(([path]) => path);
}

function requestOf(
  { first, firsts, by = 'operation', operations }: Service,
  { params }: Context,
): (given: Given) => Request | Use {
  const resource = params.text('resource') ?? first[0];
  const operation = params.text(by) ?? (resource === first[0] ? first[1] : (firsts?.[resource] ?? ''));
  const make = operations[`${resource}.${operation}`];
  const ways = ['http.request to the address of the service', 'code.run'];
  if (!make) throw new NotHere(`it does “${`${resource} ${operation}`.trim()}”`, ways);
  return make;
}

function requestParams(
  { method = 'GET', url, query, headers, bodyType, body, file }: Request,
  connection: string | undefined,
): Record<string, unknown> {
  return {
    method,
    ...(connection !== undefined && { connection }),
    url,
    ...(query && { query }),
    ...(headers && { headers }),
    ...(body !== undefined && { bodyType, body }),
    ...(file !== undefined && { response: 'file' }),
  };
}

/** The item with the file that a request gave. */
function fileItem(
  context: Context,
  { id, field }: { readonly id: string; readonly field: string },
  item: Port,
): Made {
  const isList = item.card === 'many';
  const made = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ { ...${beside(item)}, ${JSON.stringify(field)}: input } }}` },
    ...(isList && { each: {} }),
  });
  context.wire(`${id}.file`, `${made}.in`);
  return gives(
    context.port(made, 'out', {
      card: isList ? 'many' : 'one',
      ...following(item, context.step.name),
    }),
  );
}

function givenOf(context: Context, input: Port): Given {
  const { params, step } = context;
  const reads = context.reads(input);
  const item = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const get = (path: string): unknown =>
    path === 'sheetName.name' ? sheetName(step.parameters['sheetName']) : params.get(path);
  const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
  return {
    text: (path, otherwise = '') => (isSet(get(path)) ? context.text(get(path), reads) : otherwise),
    expr: (path, otherwise = '""') => (isSet(get(path)) ? context.expr(get(path), reads) : otherwise),
    value: (path) => (isSet(get(path)) ? context.value(get(path), reads) : undefined),
    number: (path, otherwise) => params.number(path) ?? otherwise,
    flag: (path) => params.flag(path),
    list: (path) => params.list(path),
    later: (value) => context.expr(value ?? '', { ...reads, item: () => item }),
    raw: get,
    made: (value) => context.value(value, reads),
    written: (value) => context.text(value ?? '', reads),
    seen: (path) => params.skip(path),
    tell: (message) => context.changed('setting', message),
    get prefix() {
      return filePrefix(params);
    },
    version: step.version,
    item: reads.item(),
    isList: input.card === 'many',
  };
}

/** Addresses have the name of a sheet; a node may have its number, and beside it the name that was shown. */
function sheetName(given: unknown): unknown {
  if (!isRecord(given)) return given;
  const { mode, value, cachedResultName } = given;
  if (mode === 'name' || cachedResultName === undefined)
    return asText(value ?? '') === 'gid=0' ? 'Sheet1' : value;
  return cachedResultName;
}

export const serviceEntries: readonly Entry[] = services.map((service) => ({
  kind: service.kind,
  word: 'http',
  becomes: service.becomes ?? '`http.request` through a connection',
  difference: `${service.difference ?? ''}Answers have the fields of the service's own interface. Done are: ${Object.keys(
    service.operations,
  )
    .map((name) => name.replace('.', ' ').trim() || 'requests')
    .join(', ')}; all else is a placeholder.`,
  convert: (context) => convertService(service, context),
}));
