import { type Fields, recordOf, textOf } from '../app.ts';
import { isSecretText, schemeOf } from '../../frame/secrets.ts';
import type { Became, Here, Mapping } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { partsOf, variablesIn } from '../texts.ts';
import { braces, quoted, templateOf, textExpr, type Value } from '../write.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const HEADER = /^[!#$%&'*+.^_`|~\w-]+$/;

interface Auth {
  readonly type: string;
  readonly name?: string;
  readonly username?: string;
  readonly secret?: { readonly $secret: string };
}

export const httpRequest: Mapping = (here) => {
  const { settings } = here;
  const method = settings.text('method').toUpperCase() || 'GET';
  if (!METHODS.has(method)) throw new Unmapped(`the method ${method.slice(0, 20)} is not known`);
  const url = settings.text('url').trim();
  if (url === '') throw new Unmapped('it has no address');
  settings.ignore(
    'variables',
    'provider_id',
    'provider_type',
    'tool_name',
    'tool_parameters',
    'tool_configurations',
  );
  const auth = { found: authOf(here) };
  const headers = headersOf(here, auth);
  const query = queryOf(here, auth);
  const asFile = givesFiles(here);
  const isFailing = isWatched(here.node.data);
  const timeout = timeoutOf(here);
  if (settings.get('ssl_verify') === false) here.note('Certificates of the other server are always checked.');
  settings.ignore('ssl_verify');
  const id = here.main(
    {
      operator: 'http.request',
      params: {
        method,
        url: templateOf(partsOf(url, here.value)),
        ...(Object.keys(query).length > 0 && { query }),
        ...(Object.keys(headers).length > 0 && { headers }),
        ...(auth.found && { auth: auth.found }),
        ...bodyOf(here),
        response: asFile ? 'file' : 'text',
        ...(!isFailing && { failOn: [] }),
        ...(timeout !== undefined && { timeoutMs: timeout }),
      },
    },
    (values) => ({
      body: textOf(values['body']),
      status: Number(values['status_code'] ?? 0),
      headers: recordOf(values['headers']),
    }),
  );
  return { enter: `${id}.in`, leave: { source: [`${id}.status`] }, value: answerOf(id, asFile) };
};

/** Whether other nodes read the files of its answer: then it is stored as a file, and not read as text. */
function givesFiles({ node, app }: Here): boolean {
  const others = JSON.stringify(app.nodes.map(({ data }) => data));
  const reads = (name: string): boolean =>
    others.includes(`${JSON.stringify(node.id)},"${name}"`) || others.includes(`#${node.id}.${name}`);
  if (reads('files') && reads('body'))
    throw new Unmapped('both the text and the files of its answer are read');
  return reads('files');
}

function answerOf(id: string, asFile: boolean): Became['value'] {
  return ([name, ...rest], q) => {
    const at = `nodes.${id}${q}`;
    if (name === 'body') return asFile ? undefined : { expr: `${at}.body`, kind: 'text' };
    if (name === 'status_code') return { expr: `${at}.status`, kind: 'number' };
    if (name === 'files')
      return asFile ? { expr: `[nodes.${id}?.file]`, kind: 'files' } : { expr: '[]', kind: 'list' };
    if (name !== 'headers') return undefined;
    const [header] = rest;
    if (header === undefined) return { expr: `${at}.headers`, kind: 'record' };
    return { expr: `nodes.${id}?.headers?.[${quoted(header.toLowerCase())}]` };
  };
}

function queryOf(here: Here, auth: { found: Auth | undefined }): Record<string, unknown> {
  const params = linesOf(here.settings.get('params'));
  return fieldsOf(here, params, (name) => {
    const [secret] = params.get(name)?.flatMap((value) => wholeSecret(here, value) ?? []) ?? [];
    if (secret === undefined) return false;
    if (auth.found) throw new Unmapped('it sends more than one secret');
    auth.found = { type: 'query', name, secret: { $secret: secret } };
    return true;
  });
}

/** In Dify, a refusal by the other server counts as an error only if the node handles errors. */
function isWatched(data: Fields): boolean {
  const strategy = textOf(data['error_strategy']);
  return (strategy !== '' && strategy !== 'none') || recordOf(data['retry_config'])['retry_enabled'] === true;
}

/** `name:value`, one a line. */
function linesOf(given: unknown): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of textOf(given).split('\n')) {
    const at = line.indexOf(':');
    const name = (at < 0 ? line : line.slice(0, at)).trim();
    if (name === '') continue;
    fields.set(name, [...(fields.get(name) ?? []), at < 0 ? '' : line.slice(at + 1).trim()]);
  }
  return fields;
}

function fieldsOf(
  here: Here,
  fields: ReadonlyMap<string, readonly string[]>,
  skip: (name: string) => boolean,
): Record<string, unknown> {
  const made = new Map<string, unknown>();
  for (const [name, values] of fields) {
    if (skip(name)) continue;
    if (variablesIn(name).length > 0) throw new Unmapped('the name of one of its fields is worked out');
    const all = values.map((value) => templateOf(partsOf(value, here.value)));
    made.set(name, all.length === 1 ? all[0] : all);
  }
  return Object.fromEntries(made);
}

/** The name of a secret that a text consists of, with a word such as `Bearer` in front; a key in the file becomes a secret. */
function wholeSecret(here: Here, value: string, hint?: string): string | undefined {
  const [selector, ...more] = variablesIn(value);
  const named = selector && more.length === 0 ? here.secretOf(selector) : undefined;
  if (named !== undefined) {
    const rest = value.replace(/\{\{#[^{}#]*#\}\}/, '').trim();
    if (rest === '' || /^(?:bearer)$/i.test(rest)) return named;
    throw new Unmapped('a secret stands within another text');
  }
  if (hint === undefined || selector !== undefined || !isSecretText(hint, value)) return undefined;
  return take(here, schemeOf(value).secret, hint);
}

function take(here: Here, value: string, hint: string): string {
  const name = here.secrets.take(value, hint);
  here.need({
    kind: 'secret',
    name,
    kept: true,
    message: `Grant the secret ${name} to the hosts that it is sent to.`,
  });
  here.change({
    what: 'secret',
    effect: 'changed',
    after: name,
    message: `A key stood in the file; it is the secret ${name} now.`,
  });
  return name;
}

function headersOf(here: Here, auth: { found: Auth | undefined }): Record<string, unknown> {
  const lines = linesOf(here.settings.get('headers'));
  const fields = fieldsOf(here, lines, (name) => {
    const [value = ''] = lines.get(name) ?? [];
    const secret = wholeSecret(here, value, name);
    if (secret === undefined) return false;
    if (auth.found) throw new Unmapped('it sends more than one secret');
    const isBearer = /^bearer\s/i.test(value) && name.toLowerCase() === 'authorization';
    if (/^(?:basic|token|apikey|bot|key)\s/i.test(value)) throw new Unmapped('its key has a word in front');
    auth.found = isBearer
      ? { type: 'bearer', secret: { $secret: secret } }
      : { type: 'header', name, secret: { $secret: secret } };
    return true;
  });
  for (const name of Object.keys(fields))
    if (!HEADER.test(name)) throw new Unmapped('one of its headers has no name of a header');
  return fields;
}

function authOf(here: Here): Auth | undefined {
  const given = here.settings.record('authorization');
  if (given['type'] !== 'api-key') return undefined;
  const config = recordOf(given['config']);
  const key = textOf(config['api_key']);
  if (key === '') {
    here.note('The file has no key for it; name a secret in its settings.');
    return undefined;
  }
  const type = textOf(config['type']);
  if (type === 'basic') return basicAuth(here, key);
  const header = textOf(config['header']) || 'Authorization';
  const secret = { $secret: namedSecret(here, key, type === 'custom' ? header : 'api_key') };
  return type === 'bearer' ? { type: 'bearer', secret } : { type: 'header', name: header, secret };
}

/** In Dify, the key is `user:password` in one text. */
function basicAuth(here: Here, key: string): Auth {
  const at = key.indexOf(':');
  if (at > 0 && variablesIn(key).length === 0) {
    const username = key.slice(0, at).replaceAll('{{', '\\{{');
    return { type: 'basic', username, secret: { $secret: take(here, key.slice(at + 1), 'password') } };
  }
  here.note('Name the user beside the secret; there, user and password are one text.');
  return { type: 'basic', secret: { $secret: namedSecret(here, key, 'password') } };
}

function namedSecret(here: Here, key: string, hint: string): string {
  const named = variablesIn(key).length > 0 ? wholeSecret(here, key) : take(here, key, hint);
  if (named === undefined) throw new Unmapped('its key is worked out while it runs');
  return named;
}

function timeoutOf(here: Here): number | undefined {
  const timeout = here.settings.record('timeout');
  const seconds = ['connect', 'read', 'write']
    .map((name) => Number(timeout[name]))
    .filter((n) => Number.isFinite(n) && n > 0);
  const all = seconds.reduce((sum, one) => sum + one, 0);
  return all > 0 ? Math.min(Math.round(all * 1000), 3_600_000) : undefined;
}

interface GivenBody {
  readonly data: unknown;
  readonly parts: readonly Fields[] | undefined;
  readonly text: string;
}

const formBody =
  (bodyType: 'multipart' | 'form') =>
  (here: Here, { data, parts }: GivenBody): Fields => ({
    bodyType,
    body: parts ? formParts(here, parts) : fieldsOf(here, linesOf(data), () => false),
  });

const BODIES: Readonly<Record<string, (here: Here, body: GivenBody) => Fields>> = {
  '': () => ({}),
  none: () => ({}),
  'raw-text': (here, { text }) => ({ bodyType: 'text', body: templateOf(partsOf(text, here.value)) }),
  json: (here, { text }) => jsonBody(here, text),
  'form-data': formBody('multipart'),
  'x-www-form-urlencoded': formBody('form'),
  binary: (here, { parts }) => {
    const file = parts?.[0]?.['file'];
    if (!Array.isArray(file)) throw new Unmapped('its body is no file that it names');
    return { bodyType: 'bytes', body: braces(here.value(file.map(textOf)).expr) };
  },
};

function bodyOf(here: Here): Fields {
  const body = here.settings.record('body');
  const type = textOf(body['type']);
  const make = Object.hasOwn(BODIES, type) ? BODIES[type] : undefined;
  if (!make) throw new Unmapped(`a body of the type ${type.slice(0, 40)} is not known`);
  const { data } = body;
  const parts = Array.isArray(data) ? data.map(recordOf) : undefined;
  return make(here, { data, parts, text: parts ? textOf(parts[0]?.['value']) : textOf(data) });
}

function formParts(here: Here, parts: readonly Fields[]): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const part of parts) {
    const name = textOf(part['key']);
    if (name === '') continue;
    const file = part['file'];
    const isFile = part['type'] === 'file' && Array.isArray(file);
    const value = isFile
      ? braces(here.value(file.map(textOf)).expr)
      : templateOf(partsOf(textOf(part['value']), here.value));
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}

/** JSON with variables in it: each goes to its place, so that no text can break it; if its form is not clear, it is read once it is whole. */
function jsonBody(here: Here, text: string): Fields {
  if (text.trim() === '') return {};
  const parts = partsOf(text, here.value);
  const form = parts.some(isMarked) ? undefined : parsed(withMarks(parts));
  if (form !== undefined && !hasMarkedKey(form.value))
    return { bodyType: 'json', body: filled(form.value, parts) };
  if (variablesIn(text).length === 0) throw new Unmapped('its body is no JSON');
  return { bodyType: 'json', body: braces(`json(${textExpr(parts)})`) };
}

/** Stands for the part with this number; a value of its own is a text of its mark alone. */
const mark = (at: number, isOwn: boolean): string => `\uE000${isOwn ? '=' : ''}${at}\uE000`;
const MARK = /\uE000(\d+)\uE000/g;

const isMarked = (part: string | Value): boolean => typeof part === 'string' && part.includes('\uE000');

/** A name of a field that is worked out has no place of its own. */
function hasMarkedKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, one]) => key.includes('\uE000') || hasMarkedKey(one));
}

function withMarks(parts: readonly (string | Value)[]): string {
  let text = '';
  let inText = false;
  for (const [at, part] of parts.entries()) {
    if (typeof part !== 'string') {
      text += inText ? JSON.stringify(mark(at, false)).slice(1, -1) : JSON.stringify(mark(at, true));
      continue;
    }
    text += part;
    for (const quote of part.replaceAll(/\\./gs, '')) if (quote === '"') inText = !inText;
  }
  return text;
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function filled(value: unknown, parts: readonly (string | Value)[]): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, parts));
  if (typeof value === 'string') return filledText(value, parts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, parts)]));
}

function filledText(text: string, parts: readonly (string | Value)[]): string {
  const at = (n: string): Value => parts[Number(n)] as Value;
  const [, own] = /^\uE000=(\d+)\uE000$/.exec(text) ?? [];
  // A text in the place of a value is JSON itself.
  if (own !== undefined)
    return braces(at(own).kind === 'text' ? `json(string(${at(own).expr}))` : at(own).expr);
  const pieces: (string | Value)[] = [];
  let from = 0;
  for (const found of text.matchAll(MARK)) {
    pieces.push(text.slice(from, found.index), {
      expr: `string(${at(found[1] as string).expr})`,
      kind: 'text',
    });
    from = found.index + found[0].length;
  }
  return templateOf([...pieces, text.slice(from)].filter((piece) => piece !== ''));
}
