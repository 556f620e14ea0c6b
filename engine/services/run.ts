import { isRecord } from '#shared/json.ts';
import type { ServiceCall, ServiceFile } from '#shared/service-file.ts';
import type { ServiceBefore, ServiceDetail, ServiceRefusal } from '#shared/service-making.ts';
import { toText, WeftError } from '../base/operator.ts';
import { bytesOnce } from '../operators/_document.ts';
import { type Read, readAnswer, refusal } from './answer.ts';
import { LIMIT, TIMEOUT_MS } from './describe.ts';
import { fieldAt } from './fields.ts';
import { type Maker, remade, type Scope } from './making.ts';
import { readPages } from './pages.ts';
import {
  type Added,
  type Asked,
  type Asking,
  type Part,
  partsOf,
  requestFor,
  type Values,
} from './request.ts';

/** Who makes calls of a service. */
export interface User extends Asking {
  now(): number;
  log(level: 'warn', text: string): void;
  readonly file: ServiceFile;
  readonly maker: Maker;
}

interface Options {
  /** No further page is read once there are enough items. */
  readonly isEnough?: (items: readonly unknown[]) => boolean;
}

/**
 * The output of a call: what it answers, or its part, or the items of its pages, in the form that the file makes of it. Throws
 * `service_failed`, `bad_params` for what the file refuses, `bad_answer`, `too_many_items`, and the errors of requests.
 */
export async function runCall(
  by: User,
  call: ServiceCall,
  values: Values,
  options: Options = {},
): Promise<unknown> {
  const { file, maker } = by;
  const params = paramsFor(call, values);
  const before: Record<string, unknown> = {};
  const scope: Scope = { params, before, now: by.now(), random: by.random() };
  refuse(by, call, scope, undefined);
  for (const one of call.before) {
    before[one.as] = await earlier(by, one, { values, scope });
    refuse(by, call, scope, one.as);
  }
  const asked: Asked = { file, call, maker, scope };
  const parts = await partsOf(by, asked);
  if (call.answer.as === 'file') return download(by, asked, parts);
  if (call.batches === undefined) return answered(by, asked, parts, options);
  const outputs: unknown[] = [];
  for (const some of inBatches(parts, call.batches)) outputs.push(await answered(by, asked, some, options));
  return outputs.flat();
}

/** The output of a call that comes first. A request of its own has a key of its own. */
async function earlier(
  by: User,
  { as, call, given, when, absent }: ServiceBefore,
  at: { readonly values: Values; readonly scope: Scope },
): Promise<unknown> {
  if (when !== undefined && !by.maker.make(when, at.scope)) return null;
  try {
    const own = { ...by, idempotencyKey: `${by.idempotencyKey}.${as}` };
    return await runOther(own, call, { ...at, given });
  } catch (error) {
    if (absent && isAbsence(error)) return null;
    throw error;
  }
}

/** What a call gives for an item of a list; null if it is not there any more. */
export async function detailOf(
  by: User,
  detail: ServiceDetail,
  { params, item }: { readonly params: Values; readonly item: unknown },
): Promise<unknown> {
  const scope: Scope = { params, before: {}, now: by.now(), random: by.random(), item };
  return earlier(by, { ...detail, as: 'detail', absent: true }, { values: params, scope });
}

/** Whether an error says that the service does not have the thing (404). */
export function isAbsence(error: unknown): boolean {
  if (!(error instanceof WeftError) || error.code !== 'service_failed') return false;
  return isRecord(error.data) && error.data['status'] === 404;
}

/** The parts for each request: one for each piece of the list `of`; only one if it is no list, or is short. */
function inBatches(
  parts: readonly Part[],
  { of, most }: NonNullable<ServiceCall['batches']>,
): readonly (readonly Part[])[] {
  const value = parts.find(({ parameter }) => parameter.name === of)?.value;
  if (!Array.isArray(value) || value.length <= most) return [parts];
  return Array.from({ length: Math.ceil(value.length / most) }, (_piece, at) =>
    parts.map((part) =>
      part.parameter.name === of ? { ...part, value: value.slice(at * most, (at + 1) * most) } : part,
    ),
  );
}

/** Another call of the file, with the same connection. */
function runOther(
  by: User,
  id: string,
  { values, given, scope }: { readonly values: Values; readonly given: Values; readonly scope: Scope },
): Promise<unknown> {
  const call = by.file.calls.find((one) => one.id === id);
  if (call === undefined) throw new Error('The file was checked.');
  const { connection, timeoutMs } = values;
  return runCall(by, call, { ...(by.maker.fill(given, scope) as Values), connection, timeoutMs });
}

/** With defaults, and null for what is not given. */
function paramsFor({ parameters, pages }: ServiceCall, values: Values): Values {
  const params: Record<string, unknown> = {
    connection: values['connection'],
    timeoutMs: values['timeoutMs'] ?? TIMEOUT_MS,
  };
  if (pages) params['limit'] = values['limit'] ?? LIMIT.default;
  for (const { name, schema } of parameters) params[name] = values[name] ?? schema['default'] ?? null;
  return params;
}

/** Checks the rules that apply once the call `after` was made; undefined: before all calls. */
function refuse(by: User, { refuse: rules }: ServiceCall, scope: Scope, after: string | undefined): void {
  for (const rule of rules) if (rule.after === after) checkRule(by, rule, scope);
}

function checkRule({ maker }: User, { each, when, says, field }: ServiceRefusal, scope: Scope): void {
  const value = scope.params[each ?? field];
  const list: readonly unknown[] = each !== undefined && Array.isArray(value) ? value : [value];
  for (const [index, item] of list.entries()) {
    const of = { ...scope, value, ...(each !== undefined && { item, index }) };
    if (maker.make(when, of))
      throw new WeftError('bad_params', toText(maker.fill(says, of)), { field: `params.${field}` });
  }
}

async function answered(
  by: User,
  asked: Asked,
  parts: readonly Part[],
  { isEnough }: Options,
): Promise<unknown> {
  const { call, scope } = asked;
  const { answer, pages } = call;
  if (pages !== undefined) {
    const limit = Number(scope.params['limit']);
    let last: unknown;
    const items = await readPages({ ...call, pages }, { limit, isEnough }, async (added) => {
      const read = await send(by, asked, parts, added);
      last = read.body;
      return read;
    });
    return made(by, asked, { answer: last, value: items });
  }
  const { body } = await send(by, asked, parts);
  if (answer.as === 'none') return null;
  const part = fieldAt(body, answer.result) ?? null;
  const mail = answer.mail === undefined ? undefined : await mailIn(by, answer, fieldAt(body, answer.mail));
  return made(by, asked, { answer: part, value: part, mail });
}

interface Came {
  readonly answer: unknown;
  readonly value: unknown;
  readonly mail?: unknown;
}

/** Calls for items that are made at the same time. */
const AT_ONCE = 5;

/** What the file makes of an answer. */
async function made(by: User, asked: Asked, { answer, value, mail }: Came): Promise<unknown> {
  const { call, maker, scope } = asked;
  const { makes, each, detail } = call.answer;
  const within: Scope = { ...scope, answer, mail };
  const whole = makes === undefined ? value : maker.make(makes, within);
  const list = detail === undefined ? whole : await detailed(by, { list: whole, detail, within });
  return remade(maker, { each }, { value: list, scope: within, drops: true }) ?? null;
}

async function detailed(
  by: User,
  of: {
    readonly list: unknown;
    readonly detail: NonNullable<ServiceCall['answer']['detail']>;
    readonly within: Scope;
  },
): Promise<unknown[]> {
  const { list, detail, within } = of;
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  const out: unknown[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const some = items.slice(at, at + AT_ONCE).map((item, index) => {
      const scope = { ...within, item, index: at + index };
      return runOther(by, detail.call, { values: within.params, given: detail.given, scope });
    });
    out.push(...(await Promise.all(some)));
  }
  return out;
}

/** Sends one request, and reads its answer. */
async function send(by: User, asked: Asked, parts: readonly Part[], added?: Added): Promise<Read> {
  const request = await requestFor(by, asked, parts, added);
  const answer = await by.service('http').send(request, by.asker, by.signal);
  return readAnswer(asked.file, asked.call, answer, (text) => by.log('warn', text));
}

const MAX_MAIL = 50_000_000;

/** The mail in a field, with its attachments as files, or with their names. */
async function mailIn(by: User, { files }: ServiceCall['answer'], value: unknown): Promise<unknown> {
  if (typeof value !== 'string') return null;
  const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const documents = by.service('documents');
  const { attachments, ...mail } = await documents.mail(bytesOnce(bytes), { maxBytes: MAX_MAIL }, by.signal);
  const kept: unknown[] = [];
  for (const { name, type, content } of attachments) {
    const file = { name, type, content };
    kept.push(
      files
        ? await by.service('files').create(file, by.asker, by.signal)
        : { name, type, bytes: content.length },
    );
  }
  return { ...mail, attachments: kept };
}

async function download(by: User, asked: Asked, parts: readonly Part[]): Promise<unknown> {
  const files = by.service('files');
  const answer = await files.download(await requestFor(by, asked, parts), by.asker, by.signal);
  const { file, status, headers } = answer;
  if (status >= 200 && status < 300) return file;
  const { content } = await files.open(file, by.asker);
  throw refusal(asked.file, asked.call, { status, headers, body: jsonIn(await textOf(content)) });
}

const SHOWN = 100_000;

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of content) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > SHOWN) break;
  }
  return text;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
