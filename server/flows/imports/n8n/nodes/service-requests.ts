import type { FlowNode } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import type { Port } from '../graph.ts';
import { filePrefix } from '../mails.ts';
import { asText, paramsOf } from '../params.ts';
import type { Given, Request, Service, Use } from '../services/service.ts';

/** A request of a service: what its node says, and the connection that it goes through. */

/** The connection for the node's credential; undefined for a service that asks for none. */
export function connectionOf(
  { kind, credential, open, host }: Service,
  { step, job }: Context,
): string | undefined {
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

/** Notes what is dealt with at every service. */
export function skipUsual({ params, step }: Context): void {
  const given = paramsOf(step.parameters);
  const usual = USUAL.filter(([path, values]) => values.includes(given.get(path)));
  params.skip(...SAID_OTHERWISE, ...usual.map(([path]) => path));
}

/** What sends a request, or does what an operator here does. */
export function nodeOf(made: Request | Use, connection: string | undefined): FlowNode {
  if (!('operator' in made))
    return { operator: 'http.request', params: paramsFor(made, made.open === true ? undefined : connection) };
  // What works on values asks no service.
  const isOfService = !/^(?:core|file|logic)\./.test(made.operator);
  return { operator: made.operator, params: { ...(isOfService && { connection }), ...made.params } };
}

function paramsFor(
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

/** The params of the node, with values over what leads to it; `isAfter` for what is worked out after its request. */
export function givenOf(context: Context, input: Port, params: Context['params'], isAfter = false): Given {
  const { step } = context;
  const item = input.card === 'many' ? `${input.expr}?.[index]` : input.expr;
  const before = context.reads(input);
  const reads = isAfter ? { ...before, item: () => item } : before;
  const get = (path: string): unknown =>
    path === 'sheetName.name' ? sheetName(step.parameters['sheetName']) : params.get(path);
  const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '';
  return {
    text: (path, otherwise = '') => (isSet(get(path)) ? context.text(get(path), reads) : otherwise),
    expr: (path, otherwise = '""') => (isSet(get(path)) ? context.expr(get(path), reads) : otherwise),
    value: (path) => (isSet(get(path)) ? context.value(get(path), reads) : undefined),
    raw: get,
    number: (path, otherwise) => params.number(path) ?? otherwise,
    flag: (path) => params.flag(path),
    list: (path) => params.list(path),
    said: (value) => context.expr(value ?? '', reads),
    get after() {
      return givenOf(context, input, params, true);
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
