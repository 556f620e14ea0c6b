import { isRecord } from '#shared/json.ts';
import type { ServiceCall, ServiceFile } from '#shared/service-file.ts';
import type { ServiceParameter } from '#shared/service-parts.ts';
import { type Call, type HttpRequest, type SourceCall, toText, WeftError } from '../base/operator.ts';
import type { Params } from '../operators/http/_params.ts';
import { requestOf } from '../operators/http/_request.ts';
import { withQuery } from '../operators/http/_url.ts';
import { putField } from './fields.ts';
import { type MailFile, mailText } from './mail.ts';
import { type Maker, remade, type Scope } from './making.ts';

/** The values of an operation's fields, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The use that requests of services need of a call or of a source. */
export type Asking = Pick<Call | SourceCall<unknown>, 'service' | 'asker' | 'signal'> & {
  readonly idempotencyKey: string;
  random(): number;
};

/** A field of the next page, beside those of the first. */
export interface Added {
  readonly query?: Values;
  readonly body?: Values;
  /** The whole address of the next page, which has its query in it. */
  readonly url?: string;
}

/** A call with what it is made with. */
export interface Asked {
  readonly file: ServiceFile;
  readonly call: ServiceCall;
  readonly maker: Maker;
  /** Its params are in it, with `connection` and `timeoutMs`. */
  readonly scope: Scope;
}

/** The request of a call. Throws `bad_params`, `bad_input` and the errors of files and expressions. */
export async function requestFor(
  by: Asking,
  asked: Asked,
  parts: readonly Part[],
  added: Added = {},
): Promise<HttpRequest> {
  const { file, call, scope } = asked;
  const connection = scope.params['connection'];
  const isBound = typeof connection === 'string';
  const base = call.base ?? file.base;
  const url = added.url ?? `${isBound ? '' : base}${addressOf(asked, parts, added.query)}`;
  const request = await requestOf(by, {
    ...FIXED,
    ...(await bodyFor(by, asked, parts, added.body)),
    method: call.method,
    url,
    ...(isBound && { connection }),
    headers: headersFor(by, asked, parts),
    timeoutMs: Number(scope.params['timeoutMs']),
  });
  // An address with variables is that of the connection.
  if (!isBound || base.includes('{')) return request;
  return { ...request, base, ...(call.open && { open: file.base }) };
}

const FIXED = {
  query: {},
  auth: { type: 'none' },
  response: 'auto',
  failOn: [],
  cookies: 'none',
  redirects: 5,
  maxBytes: 50_000_000,
  idempotencyKey: false,
} satisfies Partial<Params>;

/** What a parameter sends. */
export interface Part {
  readonly parameter: ServiceParameter;
  readonly wire: string;
  readonly value: unknown;
}

/** What is given, with defaults, in the form in which it is sent. */
export async function partsOf(by: Asking, { call, maker, scope }: Asked): Promise<Part[]> {
  const parts: Part[] = [];
  for (const parameter of call.parameters) {
    const { name, wire = name, encode } = parameter;
    const given = scope.params[name];
    if (given === undefined || given === null) continue;
    const value = remade(maker, parameter, { value: given, scope: { ...scope, value: given }, drops: false });
    if (value === undefined || value === null) continue;
    parts.push({ parameter, wire, value: encode === undefined ? value : await encoded(by, value, encode) });
  }
  return parts;
}

async function encoded(by: Asking, value: unknown, form: 'base64' | 'base64url'): Promise<string> {
  if (!isRecord(value)) return base64(new TextEncoder().encode(toText(value)), form);
  return base64(await bytesOf(by, value), form);
}

/** The bytes of a file. */
async function bytesOf(by: Asking, value: unknown): Promise<Uint8Array> {
  const { content } = await by.service('files').open(value, by.asker);
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

async function filesOf(by: Asking, value: unknown): Promise<MailFile[]> {
  if (value === undefined || value === null) return [];
  const files: MailFile[] = [];
  for (const one of Array.isArray(value) ? value : [value]) {
    const { file } = await by.service('files').open(one, by.asker);
    files.push({ name: file.name, type: file.type, content: base64(await bytesOf(by, one), 'base64') });
  }
  return files;
}

function base64(bytes: Uint8Array, form: 'base64' | 'base64url'): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return form === 'base64' ? text : text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The path with its query. `{secret}` stays: the connection knows it. */
function addressOf({ call, maker, scope }: Asked, parts: readonly Part[], added: Values | undefined): string {
  const inPath = new Map(parts.filter((p) => p.parameter.in === 'path').map((part) => [part.wire, part]));
  const path = call.path.replaceAll(/\{(\+?)([^{}]*)\}/g, (place, keeps: string, name: string) => {
    const part = inPath.get(name);
    if (part !== undefined) return pathText(part.parameter.name, part.value, keeps === '+');
    const made = call.places[name];
    return made === undefined ? place : pathText(name, maker.make(made, scope), keeps === '+');
  });
  const [secrets, fixed] = apart(call.query ?? {});
  const query: Record<string, unknown> = { ...(maker.fill(fixed, scope) as Values) };
  for (const part of parts.filter((p) => p.parameter.in === 'query'))
    Object.assign(query, written(part.wire, part.value, part.parameter.list));
  const address = withQuery(path, { ...query, ...added });
  return secrets.reduce((url, name) => `${url}${url.includes('?') ? '&' : '?'}${name}={secret}`, address);
}

/** The fields whose value is the secret of the connection, and the others. */
function apart(fixed: Values): [string[], Values] {
  const secrets = Object.keys(fixed).filter((name) => fixed[name] === '{secret}');
  const others = Object.entries(fixed).filter(([name]) => !secrets.includes(name));
  return [secrets.map((name) => encodeURIComponent(name)), Object.fromEntries(others)];
}

function pathText(name: string, value: unknown, keepsSlashes: boolean): string {
  const text = (Array.isArray(value) ? value.map(toText).join(',') : toText(value)).toWellFormed();
  if (text === '') throw new WeftError('bad_params', `params.${name} is empty.`, { field: `params.${name}` });
  return keepsSlashes ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text);
}

/** A value as fields of a query or a form. */
function written(name: string, value: unknown, list: ServiceParameter['list']): Values {
  if (!isRecord(value) && !Array.isArray(value)) return { [name]: value };
  if (list === 'json') return { [name]: JSON.stringify(value) };
  if (list === 'comma' && Array.isArray(value)) return { [name]: value.map(toText).join(',') };
  if (list === 'brackets') return Object.fromEntries(bracketed(name, value));
  return {
    [name]: Array.isArray(value) ? value.map((one: unknown) => textOrJson(one)) : JSON.stringify(value),
  };
}

function textOrJson(value: unknown): unknown {
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

/** `a[b]=1`; items of lists are `a[]=1`, and objects in lists `a[0][b]=1`. */
function bracketed(name: string, value: unknown): [string, unknown][] {
  if (Array.isArray(value)) {
    if (value.every((one) => typeof one !== 'object')) return [[`${name}[]`, value]];
    return value.flatMap((one: unknown, index) => bracketed(`${name}[${index}]`, one));
  }
  if (!isRecord(value)) return [[name, value]];
  return Object.entries(value).flatMap(([key, one]) => bracketed(`${name}[${key}]`, one));
}

function headersFor(by: Asking, { file, call }: Asked, parts: readonly Part[]): Record<string, string> {
  const headers: Record<string, string> = { ...file.headers, ...call.headers };
  for (const { wire, value, parameter } of parts)
    if (parameter.in === 'header')
      headers[wire] = Array.isArray(value) ? value.map(toText).join(',') : toText(value);
  if (typeof call.idempotency === 'object') headers[call.idempotency.header] = by.idempotencyKey;
  return headers;
}

async function bodyFor(
  by: Asking,
  asked: Asked,
  parts: readonly Part[],
  added: Values = {},
): Promise<Pick<Params, 'bodyType' | 'body'>> {
  const { body: form } = asked.call;
  if (form === undefined) return { bodyType: 'none', body: undefined };
  const inBody = parts.filter(({ parameter }) => parameter.in === 'body');
  if (form.send === 'file') return { bodyType: 'bytes', body: inBody[0]?.value };
  if (form.whole) {
    const value = inBody[0]?.value;
    return { bodyType: form.send, body: isRecord(value) ? { ...value, ...added } : value };
  }
  const fields = fixedFields(asked);
  for (const { wire, value, parameter } of inBody) {
    if (form.send === 'form') Object.assign(fields, written(wire, value, parameter.list));
    else putField(fields, wire, value);
  }
  if (form.mail !== undefined) putField(fields, form.mail, await mailOf(by, asked, parts));
  for (const [path, value] of Object.entries(added)) putField(fields, path, value);
  return { bodyType: form.send, body: fields };
}

/** Those of the file, without what an expression leaves out. */
function fixedFields({ call, maker, scope }: Asked): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [path, fixed] of Object.entries(call.body?.fixed ?? {})) {
    const value = maker.fill(fixed, scope) ?? null;
    if (value !== null || fixed === null) putField(fields, path, value);
  }
  return fields;
}

async function mailOf(
  by: Asking,
  { call: { body }, maker, scope }: Asked,
  parts: readonly Part[],
): Promise<string> {
  const inMail = parts.filter(({ parameter }) => parameter.in === 'mail');
  const made = Object.entries(body?.letter ?? {}).map(
    ([name, text]) => [name, maker.make(text, scope)] as const,
  );
  const { attachments, ...texts } = Object.fromEntries([
    ...inMail.map(({ wire, value }) => [wire, value] as const),
    ...made.filter(([, value]) => value !== null && value !== undefined),
  ]);
  const text = mailText(texts, await filesOf(by, attachments));
  return base64(new TextEncoder().encode(text), 'base64url');
}
