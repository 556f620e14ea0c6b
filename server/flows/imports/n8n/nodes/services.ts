import type { FlowNode } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { beside, bodyOf, type Card, createScope, following, type Port } from '../graph.ts';
import { itemwise, perItem, spreadItems } from '../items.ts';
import { gives, type Given as Made } from '../job.ts';
import { filePrefix } from '../mails.ts';
import { asText, paramsOf } from '../params.ts';
import type { AnswerOf, Ask, Chain, Given, Last, Next, Request, Service, Use } from '../services/service.ts';
import { services } from '../services/services.ts';
import { notInLoop } from './waits.ts';

/** Services by their documented addresses, through a connection. */

export function convertService(service: Service, context: Context): Made {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const name = operationOf(service, context);
  const chain = service.chains?.[name];
  if (chain !== undefined && chain.when?.(context.params) !== false)
    return chained(service, context, input, chain.of);
  const several = service.several?.[name];
  if (several) return oneAfterTheOther(service, context, input, several);
  const answered = service.awaited?.[name];
  return answered
    ? untilAnswered(service, context, input, answered)
    : inOneRequest(service, name, context, input);
}

function inOneRequest(service: Service, name: string, context: Context, input: Port): Made {
  const { params, step, job } = context;
  const given = givenOf(context, input, params);
  const made = requestOf(service, name)(given);
  params.skip(...SAID_OTHERWISE, ...usualIn(step));
  const connection = connectionOf(service, context);
  const isUse = 'operator' in made;
  if (!isUse) refuseColumns(context);
  const id = itemwise(context, input, nodeOf(made, connection), { atOnce: 1 });
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

/** Several requests for each item, each with what the one before it was answered. */
function oneAfterTheOther(
  service: Service,
  context: Context,
  input: Port,
  make: (given: Given, ask: Ask) => Last,
): Made {
  const { params, step, job } = context;
  params.skip(...SAID_OTHERWISE, ...usualIn(step));
  const connection = connectionOf(service, context);
  const out = perItem(context, input, (inside, item) => {
    let from = item;
    const send = (hint: string, node: FlowNode, output: string): Port => {
      const id = inside.add(hint, node);
      inside.wire(from, `${id}.in`);
      if (connection !== undefined && node.params?.['connection'] !== undefined)
        job.report.use('connection', connection, id);
      from = inside.port(id, output, { card: 'one' });
      return from;
    };
    const asking = (request: Request): FlowNode => ({
      operator: 'http.request',
      params: requestParams(request, request.open === true ? undefined : connection),
    });
    const last = make(
      givenOf(inside, item, params),
      (hint, request) => send(`${step.name} ${hint}`, asking(request), 'body').expr,
    );
    if (last.until === undefined) send(step.name, asking(last), 'body');
    else send(step.name, repeated(inside, asking(last), last.until), 'out');
    const body = last.until === undefined ? 'input' : 'input.body';
    const value = last.items === undefined ? body : `[${body}].map(one => (${last.items}))[0]`;
    const answer = inside.add(`${step.name} answer`, {
      operator: 'core.map',
      params: { value: `{{ ${value} }}` },
    });
    inside.wire(from, `${answer}.in`);
    return inside.port(answer, 'out', { card: 'one', ...following(item, step.name) });
  });
  const all = spreadItems(context, out, input.card);
  if (service.second === undefined) return gives(all);
  return input.card === 'many' ? parted(context, all, service.second) : either(context, all, service.second);
}

/** A request with an address at which somebody answers later; the answer is the item. */
function untilAnswered(
  service: Service,
  context: Context,
  input: Port,
  make: (given: Given, address: string) => Request,
): Made {
  notInLoop(context);
  const { params, step, job } = context;
  params.skip(...SAID_OTHERWISE, ...usualIn(step));
  const connection = connectionOf(service, context);
  const wait = context.add(step.name, { operator: 'logic.wait-for-call', params: {} });
  const link = context.add(`${step.name} address`, {
    operator: 'human.link',
    params: { node: wait, for: 'program' },
  });
  context.wire(input, `${link}.in`);
  const rest = context.add(`${step.name} behind address`, {
    operator: 'core.map',
    params: { value: '{{ input.input }}' },
  });
  context.wire(`${link}.out`, `${rest}.in`);
  const request = requestParams(make(givenOf(context, input, params), `nodes.${link}.link`), connection);
  const behind: Port = { ...input, ref: `${rest}.out` };
  const sent = itemwise(
    context,
    behind,
    { operator: 'http.request', params: request },
    { hint: `${step.name} request`, atOnce: 1 },
  );
  if (connection !== undefined) job.report.use('connection', connection, sent);
  context.wire(`${sent}.body`, `${wait}.in`);
  job.waiting.set(step.name, wait);
  const answer = context.add(`${step.name} answer`, {
    operator: 'core.map',
    params: { value: '{{ input.body ?? { } }}' },
  });
  context.wire(`${wait}.received`, `${answer}.in`);
  const taken = new Map([...input.taken, [step.name, 0]]);
  return gives(context.port(answer, 'out', { card: 'one', origin: undefined, taken }));
}

/** The answer for one item leaves by one of two outputs. */
function either(context: Context, all: Port, second: string): Made {
  const id = context.add(`${context.step.name} output`, {
    operator: 'logic.if',
    params: { condition: `{{ input.some(one => ${second}) }}` },
  });
  context.wire(all, `${id}.in`);
  const [first, other] = ['else', 'then'].map((output) => context.port(id, output, { card: 'many' }));
  return { outputs: [first, other], item: first };
}

/** The answers for many items, some of which leave by the second output. */
function parted(context: Context, all: Port, second: string): Made {
  const [first, other] = [`!(${second})`, second].map((condition, at) => {
    const id = context.add(`${context.step.name} output ${at + 1}`, {
      operator: 'core.map',
      params: { value: `{{ input.filter(one => ${condition}) }}` },
    });
    context.wire(all, `${id}.in`);
    return context.port(id, 'out', { card: 'many', mayBeEmpty: true });
  });
  return { outputs: [first, other], item: first };
}

/** A request that is sent until its answer is the one that is waited for. */
function repeated(
  { job, step, scope: around }: Context,
  node: FlowNode,
  { holds, everySeconds, seconds }: NonNullable<Last['until']>,
): FlowNode {
  const start = job.naming.id(`${step.name} round`);
  const scope = createScope(around, start);
  const asked = job.naming.id(`${step.name} state`);
  const answer = job.naming.id(`${step.name} state answer`);
  scope.nodes.set(asked, node);
  const value = { body: '{{ input }}', status: `{{ nodes.${asked}.status }}` };
  scope.nodes.set(answer, { operator: 'core.map', params: { value } });
  scope.edges.push(
    { from: `${start}.out`, to: `${asked}.in` },
    { from: `${asked}.body`, to: `${answer}.in` },
  );
  const maxRounds = Math.max(1, Math.ceil(seconds / everySeconds));
  return {
    operator: 'data.repeat-until',
    params: { until: `{{ ${holds} }}`, maxRounds, delayMs: everySeconds * 1000 },
    body: bodyOf(scope),
  };
}

/** Requests one after the other, for each item. */
function chained(service: Service, context: Context, input: Port, of: (given: Given) => Chain): Made {
  const { params, step, job } = context;
  const connection = connectionOf(service, context);
  const port = perItem(context, input, (given, item) => {
    const inside = { ...given, params };
    const { links, item: made } = of(givenOf(inside, item, params, true));
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

/** The params of the node, with values over what leads to it; `isAfter` for what is worked out after its request. */
function givenOf(context: Context, input: Port, params: Context['params'], isAfter = false): Given {
  const { step } = context;
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
      return givenOf(context, input, params, true);
    },
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
    { ...service.operations, ...service.several, ...service.awaited, ...service.chains },
  )
    .map((name) => name.replace('.', ' ').trim() || 'requests')
    .join(', ')}; all else is a placeholder.`,
  convert: (context) => convertService(service, context),
}));
