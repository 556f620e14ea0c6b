import type { Given, Request, Service } from './service.ts';
import { comparisonOf } from './compared.ts';
import { maskOf } from './people.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import { signed } from './signed.ts';

/**
 * Operations of services as lines of data, each a request to an address that the service documents:
 *
 *     GET /tasks/{id} limit=@50<=100 -> one?.tasks ?? []
 *
 * What is sent:
 * - `{path}` in the address is a param of the node, encoded; `{secret}` is that of the connection.
 * - `name=path` is a field with the param at the path; `name` is short for `name=name`.
 *   It goes into the query of GET and DELETE, else into the body.
 * - `?name=path` goes into the query in any case, and `^name=path` into a header.
 * - `a.b=path` is a field within the field `a`, and `a[].b=path` one within the only object of the list `a`.
 * - `...path` are all fields of the param, `=path` is the whole body, and `~path` only matters to the form of the node.
 *
 * With which value:
 * - `name="text"` and `name=!true` are sent as they are.
 * - `name=@50<=100` is the limit of the node: 50 if it is not set, and at most 100; `@*50<=100` of one that reads everything unless it says otherwise.
 * - `path|way` is what a way makes of the param.
 * - `path??json` is sent if the param is not set, since files leave out what a form proposes.
 *   In an address and behind `->` it is a text, and `path??$` is the field of the item with that name.
 *
 * How it is sent and answered:
 * - `:form` and `:multipart` say how the body is written, `:json` that it is sent also if it is empty, and `:body` that a DELETE has one.
 * - `:file=path` says that the answer is a file, for the field that the param names.
 *   `:file-if=path` says that it is one if the param is `file`.
 * - `:first=50` takes as many items of the answer as the limit of the node says, where the service has no limit.
 *   `:all` says that the node reads everything unless it says otherwise.
 * - `:paged` says that the answer is the first page of what the node read when it read everything, and `:paged=30` that one page has no more than that.
 * - Behind `->` stands the expression of the items, over `one`, the answer; `{{path}}` is a param of the node there.
 */
export interface ServiceLines {
  readonly credential: string;
  readonly first: readonly [resource: string, operation: string];
  readonly firsts?: Readonly<Record<string, string>>;
  /** The param that names the operation; `operation` if it is left out. */
  readonly by?: string;
  /** Put before addresses that begin with a slash; left out where the connection has the address. */
  readonly address?: string;
  /** A node without a credential asks without a connection. */
  readonly open?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** The field of the query in which the secret of the connection stands. */
  readonly secret?: string;
  /** As of a service. */
  readonly second?: string;
  readonly difference?: string;
  readonly operations: Readonly<Record<string, string>>;
}

/** A list, or a text with commas, as a list. */
const LISTED = (of: string): string =>
  `[${of}].flat().flatMap(one => typeOf(one) == "string" ? split(one, ",") : [one])`;

/** A path for an address, each of its names encoded. */
export function pathOf(expression: string): string {
  return `split(string(${expression}), "/").filter(part => part != "").map(part => urlEncode(part)).join("/")`;
}

/** Conversions of a param before it is sent. */
const WAYS: Readonly<Record<string, (expression: string) => string>> = {
  // A time: milliseconds, seconds, a day, a day as some write it, ISO 8601, and as Microsoft Graph has it.
  ms: (of) => `number(formatDate(date(${of}), "x"))`,
  seconds: (of) => `timestamp(date(${of}), "seconds")`,
  day: (of) => `formatDate(date(${of}), "yyyy-MM-dd")`,
  dmy: (of) => `formatDate(date(${of}), "dd-MM-yyyy")`,
  utc: (of) => `formatDate(date(${of}), "yyyy-MM-dd'T'HH:mm:ss'Z'", "UTC")`,
  moment: (of) => `{ dateTime: formatDate(date(${of}), "yyyy-MM-dd'T'HH:mm:ss", "UTC"), timeZone: "UTC" }`,
  // How long: minutes as milliseconds, and `1:30` as `PT1H30M`.
  minutes: (of) => `(number(${of}) * 60000)`,
  hours: (of) => `replace(string(${of}), "^(.+):(.+)$", "PT$1H$2M")`,

  // A list, of what is a list, a text with commas or one value; and a list as one text.
  list: LISTED,
  numbers: (of) => `[${of}].flat().map(one => number(one))`,
  joined: (of) => `join([${of}].flat())`,
  dashed: (of) => `join([${of}].flat(), "-")`,

  // A value as another type.
  number: (of) => `number(${of})`,
  text: (of) => `toJson(${of})`,
  json: (of) => `(typeOf(${of}) == "string" ? json(${of}) : ${of})`,

  // A text: another case, the name of a type as Bubble has it, and a mail address as Mailchimp has it.
  snake: (of) => `snakeCase(${of})`,
  type: (of) => `lower(join(split(string(${of}), " "), ""))`,
  md5: (of) => `hash(lower(string(${of})), "md5")`,

  // A part of an address: a path with its slashes, what is behind the last colon (`spotify:track:1`),
  // `owner/actor`, and the id of a review in its whole name.
  path: pathOf,
  id: (of) => `last(split(string(${of}), ":"))`,
  tilde: (of) => `replace(string(${of}), "/", "~")`,
  review: (of) => `split(last(split(string(${of}), "reviews/")), "/")[0]`,

  // What is switched on, as services have it; what is switched off is left out. `html` is how Decodo draws pages.
  one: (of) => `(${of} ? 1 : null)`,
  yes: (of) => `(${of} ? "yes" : null)`,
  html: (of) => (of === 'true' ? '"html"' : `(${of} ? "html" : null)`),
  // Asked for unless something is switched on.
  unless: (of) => `(${of} == true ? null : 1)`,
  // On or off in words, and what forms say as `0` and `1`.
  enabled: (of) => `(string(${of}) == "true" ? "enabled" : "disabled")`,
  flag: (of) => `["1", "true"].includes(string(${of}))`,
  // That there is a value, and that a note is internal.
  set: (of) => `![null, false].includes(${of})`,
  internal: (of) => `(${of} == "internal")`,
  // ProspectPro has 666 for all.
  some: (of) => `(string(${of}) == "666" ? null : ${of})`,

  // Objects of Microsoft To Do, of Zammad, and of Xero.
  note: (of) => `{ content: ${of}, contentType: "html" }`,
  article: (of) => `{ body: ${of}, internal: true }`,
  capitals: (of) =>
    `[${of}].flat().map(one => fromEntries(entries(one).map(pair => [replace(capitalize(pair[0]), "ItemId", "ItemID"), pair[1]])))`,
  // Addresses and phone numbers of Pipedrive, and who takes part.
  values: (of) => `${LISTED(of)}.map(one => ({ value: one }))`,
  participants: (of) => `[{ person_id: ${of}, primary: true }]`,
  // Fields of a person at Google; a star is all of them.
  people: (of) => maskOf(LISTED(of)),
};

/** Ways of what is switched on or off; what is off is left out. */
const IF_ON: ReadonlySet<string> = new Set(['html', 'one', 'yes']);

/** Ways that make a part of an address as it stands there. */
const IN_ADDRESS: ReadonlySet<string | undefined> = new Set(['path']);

type Further = Pick<Service, 'several' | 'awaited'>;

/** Only lines are compared with what the vendor says. */
function comparedBy(kind: string, { operations }: ServiceLines, more: Operations, further: Further): string {
  if (Object.keys(operations).length === 0) return '';
  const { several, awaited } = further;
  const others = Object.keys({ ...several, ...awaited }).filter((name) => !Object.hasOwn(operations, name));
  return comparisonOf(kind, [...new Set([...Object.keys(more), ...others])]);
}

/** The service of its lines, and of operations that no line says. */
export function serviceOf(
  kind: string,
  lines: ServiceLines,
  more: Operations = {},
  further: Further = {},
): Service {
  const { credential, first, firsts, by, open, second, difference = '' } = lines;
  return signed(lines.secret, {
    kind,
    credential,
    first,
    ...(firsts && { firsts }),
    ...(by !== undefined && { by }),
    ...(open === true && { open }),
    ...(second !== undefined && { second }),
    difference: `${difference}${comparedBy(kind, lines, more, further)}`,
    operations: {
      ...Object.fromEntries(
        Object.entries(lines.operations).map(([name, line]) => [
          name,
          (given: Given) => requestOf(lines, line, given),
        ]),
      ),
      ...more,
    },
    ...further,
  });
}

type Operations = Service['operations'];

interface Sent {
  whole?: unknown;
  readonly headers: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  readonly body: Record<string, unknown>;
}

const isFlag = (word: string): boolean => word.startsWith(':');

/** `:form` and the like, and what stands behind `=`. */
function flagsIn(words: readonly string[]): Map<string, string> {
  const flags = new Map<string, string>();
  for (const word of words.filter(isFlag)) {
    const [name = '', value = ''] = word.slice(1).split('=');
    flags.set(name, value);
  }
  return flags;
}

/** The request of a line. */
export function requestOf(lines: ServiceLines, line: string, g: Given): Request {
  const [request = '', items] = line.split(' -> ');
  const [method = 'GET', path = '', ...words] = request.split(' ');
  const sent: Sent = { headers: { ...lines.headers }, query: {}, body: {} };
  const flags = flagsIn(words);
  const inQuery = (method === 'GET' || method === 'DELETE') && !flags.has('body');
  for (const word of words.filter((one) => !isFlag(one))) put(g, word, sent, inQuery);
  return {
    method,
    url: urlOf(lines, path, g),
    ...(Object.keys(sent.headers).length > 0 && { headers: sent.headers as Record<string, string> }),
    ...queryOf(sent),
    ...bodyOf(sent, flags, inQuery),
    ...itemsOf(
      g,
      flags,
      items?.replaceAll(/\{\{([\w.?$]+)\}\}/g, (_, name: string) => exprOf(g.after, name)),
    ),
    ...fileOf(g, flags),
  };
}

function itemsOf(
  g: Given,
  flags: ReadonlyMap<string, string>,
  items: string | undefined,
): Pick<Request, 'items'> {
  const isAll = readsAll(g, flags.has('all'));
  const first = flags.get('first');
  const limit = first === undefined ? 0 : g.number('limit', Number(first));
  const page = Number(flags.get('paged') || limit);
  if (flags.has('paged') && (isAll || limit > page))
    g.tell('It read page after page; here it reads the first page. http.pages reads more.');
  if (first === undefined || isAll) return items === undefined ? {} : { items };
  return { items: `(${items ?? 'one'}).slice(0, ${limit})` };
}

/** Some nodes read everything unless they say otherwise. */
const readsAll = (g: Given, isUsual: boolean): boolean =>
  isUsual ? g.value('returnAll') !== false : g.flag('returnAll');

function urlOf({ address = '' }: ServiceLines, path: string, g: Given): string {
  return `${path.startsWith('/') ? address : ''}${path}`.replaceAll(
    /\{(?!secret\})([^}]+)\}/g,
    (_, name: string) => `{{ ${inAddress(exprOf(g, name), name)} }}`,
  );
}

function fileOf(g: Given, flags: ReadonlyMap<string, string>): Pick<Request, 'file'> {
  if (flags.has('file')) return { file: g.text(flags.get('file') ?? '', 'data') };
  const path = flags.get('file-if');
  return path !== undefined && g.value(path) === 'file' ? { file: 'data' } : {};
}

const queryOf = ({ query }: Sent): Pick<Request, 'query'> => (Object.keys(query).length > 0 ? { query } : {});

function bodyOf(
  { whole, body }: Sent,
  flags: ReadonlyMap<string, unknown>,
  inQuery: boolean,
): Pick<Request, 'bodyType' | 'body'> {
  const isEmpty = whole === undefined && Object.keys(body).length === 0;
  if (isEmpty && (inQuery || !flags.has('json'))) return {};
  const bodyType = flags.has('form') ? 'form' : flags.has('multipart') ? 'multipart' : 'json';
  return { bodyType, body: whole ?? body };
}

function inAddress(expression: string, given: string): string {
  return IN_ADDRESS.has(given.split('|')[1]) ? expression : `urlEncode(string(${expression}))`;
}

/** The param of an address or a way; it has to be set. */
function exprOf(g: Given, given: string): string {
  const [path = '', way] = given.split('|');
  const otherwise = /^(.*)\?\?(.*)$/.exec(path);
  const name = otherwise?.[1] ?? path;
  const value = g.expr(name, otherwise ? unset(g, name, otherwise[2] as string) : 'null');
  if (value === 'null') throw new NotHere(`${path} is not set`);
  return way === undefined ? value : (WAYS[way]?.(value) ?? value);
}

/** What stands for a param that is not set, as an expression. */
const unset = (g: Given, name: string, otherwise: string): string =>
  otherwise === '$' ? `${g.item}?.[${JSON.stringify(name)}]` : JSON.stringify(otherwise);

function put(g: Given, word: string, sent: Sent, inQuery: boolean): void {
  if (word.startsWith('~')) return g.seen(word.slice(1));
  if (word.startsWith('...')) return spread(g, word.slice(3), inQuery ? sent.query : sent.body);
  if (word.startsWith('=')) return putWhole(g, word, sent);
  const [, sign = '', name = '', given] = /^([?^]?)([^=]+)(?:=(.*))?$/.exec(word) ?? [];
  const value = valueOf(g, given ?? name);
  if (value !== undefined && value !== '') within(placeOf(sent, sign, inQuery), name, value);
}

function placeOf({ headers, query, body }: Sent, sign: string, inQuery: boolean): Record<string, unknown> {
  if (sign === '^') return headers;
  return inQuery || sign === '?' ? query : body;
}

function putWhole(g: Given, word: string, sent: Sent): void {
  if (g.value(wordPath(word)) !== undefined) sent.whole = `{{ ${exprOf(g, word.slice(1))} }}`;
}

const wordPath = (word: string): string => word.slice(1).split('|')[0] as string;

function spread(g: Given, path: string, into: Record<string, unknown>): void {
  const value = g.value(path);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) if (one !== '' && one !== null) into[name] = one;
}

function valueOf(g: Given, given: string): unknown {
  if (given.startsWith('"')) return JSON.parse(given);
  if (given.startsWith('!')) return JSON.parse(given.slice(1));
  if (given.startsWith('@')) return limitOf(g, given);
  const [named = '', way] = given.split('|');
  const [path = '', otherwise] = named.split('??');
  const value = g.value(path) ?? proposed(otherwise);
  if (way === undefined || value === undefined) return value;
  // Each of its values would have to be put together.
  if (Array.isArray(value) && JSON.stringify(value).includes('{{ '))
    throw new NotHere(`one of its ${path} is worked out`);
  return madeOf(way, value, g.expr(path, otherwise));
}

function madeOf(way: string, value: unknown, expression: string): string | undefined {
  if (IF_ON.has(way) && value === false) return undefined;
  return `{{ ${WAYS[way]?.(expression) ?? expression} }}`;
}

const proposed = (json: string | undefined): unknown =>
  json === undefined ? undefined : (JSON.parse(json) as unknown);

/** The limit of a list; one request gives no more than the service allows. */
function limitOf(g: Given, given: string): number {
  const [usual = 50, most = 100] = (given.match(/\d+/g) ?? []).map(Number);
  if (readsAll(g, given.startsWith('@*'))) {
    g.tell(`It read everything; here it reads at most ${most}. http.pages reads more.`);
    return most;
  }
  const limit = g.number('limit', usual);
  if (limit > most) g.tell(`It read ${asText(limit)}; here it reads at most ${most}. http.pages reads more.`);
  return Math.min(limit, most);
}

/** `a.b` is the field `b` of the field `a`, and `a[].b` that of the object in the list `a`. */
function within(fields: Record<string, unknown>, name: string, value: unknown): void {
  const path = name.split('.');
  const last = path.pop() as string;
  let at = fields;
  for (const key of path) {
    const listed = key.endsWith('[]') ? key.slice(0, -2) : undefined;
    if (listed === undefined) at = (at[key] ??= {}) as Record<string, unknown>;
    else at = ((at[listed] ??= [{}]) as Record<string, unknown>[])[0] as Record<string, unknown>;
  }
  at[last] = value;
}
