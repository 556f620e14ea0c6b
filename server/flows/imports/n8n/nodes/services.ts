import type { FlowNode } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { beside, bodyOf, createScope, following, type Port } from '../graph.ts';
import { itemwise, perItem, spreadItems } from '../items.ts';
import { gives, type Given as Made } from '../job.ts';
import { filePrefix } from '../mails.ts';
import { asText, paramsOf } from '../params.ts';
import type { AnswerOf, Chain, Given, Request, Service, Use } from '../services/service.ts';
import { services } from '../services/services.ts';

/** Services by their documented addresses, through a connection. */

export function convertService(service: Service, context: Context): Made {
  const { params, step, job } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const name = operationOf(service, context);
  const chain = service.chains?.[name];
  if (chain !== undefined && chain.when?.(params) !== false)
    return chained(service, context, input, chain.of);
  const made = requestOf(service, name)(givenOf(context, input));
  params.skip(...SAID_OTHERWISE, ...usualIn(step));
  const connection = connectionOf(service, context);
  const isUse = 'operator' in made;
  if (!isUse) refuseColumns(context);
  const id = itemwise(context, input, nodeOf(made, connection), { atOnce: 1 });
  if (connection !== undefined) job.report.use('connection', connection, id);
  if (!isUse && made.file !== undefined) return fileItem(context, id, made.file);
  const port = context.port(id, isUse ? 'out' : 'body', { card: input.card });
  const each = made.items === undefined ? undefined : `(one, index) => (${made.items})`;
  return gives(spreadItems(context, port, input.card, each, true));
}

/** A request has the columns that the node names. */
function refuseColumns({ params }: Context): void {
  if (params.get('columns.mappingMode') !== 'autoMapInputData') return;
  throw new NotHere('it takes the columns of whatever comes', [
    'http.request with the columns written out',
    'core.map before it',
  ]);
}

/** The connection for the node's credential; undefined for a service that asks for none. */
function connectionOf({ kind, credential, open, host }: Service, { step, job }: Context): string | undefined {
  if (open === true && step.credentials.length === 0) return undefined;
  const name = kind.slice(kind.lastIndexOf('.') + 1);
  const given = step.credentials[0] ?? { name, type: credential };
  return host === undefined
    ? job.connection(given.name, given.type)
    : job.connection(`${given.name} ${host}`, `${host}Host`);
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

/** `resource.operation`, of which files leave out what is the first one. */
function operationOf({ first, firsts, by = 'operation' }: Service, { params }: Context): string {
  const resource = params.text('resource') ?? first[0];
  const operation = params.text(by) ?? (resource === first[0] ? first[1] : (firsts?.[resource] ?? ''));
  return `${resource}.${operation}`;
}

function requestOf({ operations }: Service, name: string): (given: Given) => Request | Use {
  const make = operations[name];
  const ways = ['http.request to the address of the service', 'code.run'];
  if (!make) throw new NotHere(`it does “${name.replace('.', ' ').trim()}”`, ways);
  return make;
}

/** Requests one after the other, for each item. */
function chained(service: Service, context: Context, input: Port, of: (given: Given) => Chain): Made {
  const { params, step, job } = context;
  const connection = connectionOf(service, context);
  const port = perItem(context, input, (given, item) => {
    const inside = { ...given, params };
    const { links, item: made } = of(givenOf(inside, item, true));
    params.skip(...SAID_OTHERWISE, ...usualIn(step));
    const answers = new Map<string, string>();
    const answerOf: AnswerOf = (name) => answers.get(name) as string;
    let from: Port = item;
    for (const { name, does, until } of links) {
      const node = nodeOf(does(answerOf), connection);
      from = asked(inside, from, until === undefined ? { name, node } : { name, node, until });
      answers.set(name, from.expr);
      if (connection !== undefined)
        job.report.use('connection', connection, from.ref.split('.')[0] as string);
    }
    const id = inside.add(`${step.name} item`, {
      operator: 'core.map',
      params: { value: `{{ ${made(answerOf)} }}` },
    });
    inside.wire(from, `${id}.in`);
    return inside.port(id, 'out', { card: 'one', ...following(item, step.name) });
  });
  return gives(port);
}

interface Asked {
  readonly name: string;
  readonly node: FlowNode;
  readonly until?: string;
}

/** One link of a chain: a node, or one that is repeated. */
function asked(inside: Context, from: Port, { name, node, until }: Asked): Port {
  const hint = `${inside.step.name} ${name}`;
  const output = node.operator === 'http.request' ? 'body' : 'out';
  if (until === undefined) {
    const id = inside.add(hint, node);
    inside.wire(from, `${id}.in`);
    return inside.port(id, output, { card: 'one' });
  }
  const { naming } = inside.job;
  const body = createScope(inside.scope, naming.id(`${hint} again`));
  const [id, answer] = [naming.id(hint), naming.id(`${hint} answer`)];
  body.nodes.set(id, node);
  body.nodes.set(answer, { operator: 'core.map', params: { value: '{{ input }}' } });
  body.edges.push(
    { from: `${body.start}.out`, to: `${id}.in` },
    { from: `${id}.${output}`, to: `${answer}.in` },
  );
  const repeated = inside.add(`${hint} until`, {
    operator: 'data.repeat-until',
    params: { input: '{{ null }}', until: `{{ ${until} }}`, maxRounds: 300, delayMs: 1000 },
    body: bodyOf(body),
  });
  inside.wire(from, `${repeated}.in`);
  return inside.port(repeated, 'out', { card: 'one' });
}

function nodeOf(made: Request | Use, connection: string | undefined): FlowNode {
  if (!('operator' in made)) return { operator: 'http.request', params: requestParams(made, connection) };
  // What works on values asks no service.
  const isOfService = !/^(?:core|file)\./.test(made.operator);
  return { operator: made.operator, params: { ...(isOfService && { connection }), ...made.params } };
}

function requestParams(
  { method = 'GET', url, query, headers, bodyType, body, file, isJson }: Request,
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
    ...(isJson === true && { response: 'json' }),
  };
}

function fileItem(context: Context, id: string, field: string): Made {
  const input = context.input();
  const isList = input?.card === 'many';
  const made = context.add(`${context.step.name} item`, {
    operator: 'core.map',
    params: { value: `{{ { ...${input ? beside(input) : '{ }'}, ${JSON.stringify(field)}: input } }}` },
    ...(isList && { each: {} }),
  });
  context.wire(`${id}.file`, `${made}.in`);
  return gives(
    context.port(made, 'out', {
      card: isList ? 'many' : 'one',
      ...following(input, context.step.name),
    }),
  );
}

/** The params of the node, `isAfter` for what is worked out after its request. */
function givenOf(context: Context, input: Port, isAfter = false): Given {
  const { params, step } = context;
  const item = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const before = context.reads(input);
  const after = { ...before, item: () => item };
  const reads = isAfter ? after : before;
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
    later: (value) => context.expr(value ?? '', after),
    get after() {
      return givenOf(context, input, true);
    },
    made: (value) => context.value(value, reads),
    written: (value) => context.text(value ?? '', reads),
    seen: (path) => params.skip(path),
    tell: (message) => context.changed('setting', message),
    get prefix() {
      return filePrefix(params);
    },
    version: step.version,
    item: reads.item(),
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
  difference: `${service.difference ?? ''}Answers have the fields of the service's own interface. Done are: ${[
    ...new Set([...Object.keys(service.operations), ...Object.keys(service.chains ?? {})]),
  ]
    .map((name) => name.replace('.', ' ').trim() || 'requests')
    .join(', ')}; all else is a placeholder.`,
  convert: (context) => convertService(service, context),
}));
