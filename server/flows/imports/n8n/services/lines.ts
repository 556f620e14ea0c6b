import type { Given, Request, Service } from './service.ts';
import { comparisonOf } from './compared.ts';
import { maskOf } from './people.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';

/**
 * Operations of services as lines of data, each a request to an address that the service documents:
 *
 *     GET /tasks/{id} limit=@50<=100 -> one?.tasks ?? []
 *
 * - `{id}` in the address is the param of the node, encoded; `{secret}` is that of the connection.
 * - `name=path` sends the param at the path, in the query of GET and DELETE, else in the body; `name` is short for `name=name`, `?name=path` is
 *   sent in the query in any case, and `^name=path` as a header; `a.b=path` is a field within the field `a`, and `a[].b=path` one of the only object in the list `a`.
 * - `name="text"` and `name=!true` are sent as they are, `name=@50<=100` is the limit of the node, `...path` are all fields of the param, and `~path` only matters to
 *   its form.
 * - `path??json` is what is sent if the param is not set, since files leave out what a form proposes.
 * - `path|way` is what a way makes of the param, and `=path|way` the whole body.
 * - `:form` and `:multipart` say how the body is written, `:file=path` that the answer is a file, in the field that the param names,
 *   `:file-if=path` that it is one if the param is `file`, and `:body` that a DELETE sends its fields in the body.
 * - `:first=50` takes as many items of the answer as the limit of the node says, where the service has none. `:paged` says that its answer is
 *   the first page of what the node read when it read everything, and `:paged=30` that one page has no more, whatever the limit.
 * - `@*50<=100` is the limit of a node that reads everything unless it says otherwise, and `:all` says the same of `:first`.
 * - `name??$` is the field of the item with that name, if the param is not set.
 * - Behind `->` stands the expression of the items, in which `{{name}}` is a param of the node.
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
  // A time as milliseconds.
  ms: (of) => `number(formatDate(date(${of}), "x"))`,
  // The same in seconds, as a day, as a day as some write it, and as ISO 8601 has it.
  seconds: (of) => `timestamp(date(${of}), "seconds")`,
  day: (of) => `formatDate(date(${of}), "yyyy-MM-dd")`,
  dmy: (of) => `formatDate(date(${of}), "dd-MM-yyyy")`,
  utc: (of) => `formatDate(date(${of}), "yyyy-MM-dd'T'HH:mm:ss'Z'", "UTC")`,
  list: LISTED,
  joined: (of) => `join([${of}].flat())`,
  dashed: (of) => `join([${of}].flat(), "-")`,
  text: (of) => `toJson(${of})`,
  // The name of a type in one word of small letters, as Bubble has it.
  type: (of) => `lower(join(split(string(${of}), " "), ""))`,
  // What is switched on, as services have it; what is switched off is left out.
  one: (of) => `(${of} ? 1 : null)`,
  yes: (of) => `(${of} ? "yes" : null)`,
  // Minutes as milliseconds, as Vonage has them.
  minutes: (of) => `(number(${of}) * 60000)`,
  // Hours and minutes as a duration: `1:30` as `PT1H30M`.
  hours: (of) => `replace(string(${of}), "^(.+):(.+)$", "PT$1H$2M")`,
  snake: (of) => `snakeCase(${of})`,
  // What is behind the last colon: `spotify:track:1`.
  id: (of) => `last(split(string(${of}), ":"))`,
  // `owner/actor` as an address has it.
  tilde: (of) => `replace(string(${of}), "/", "~")`,
  json: (of) => `(typeOf(${of}) == "string" ? json(${of}) : ${of})`,
  // A path with its slashes; the one in front is that of the address.
  path: pathOf,
  // Whether pages are drawn, as Decodo has it.
  html: (of) => (of === 'true' ? '"html"' : `(${of} ? "html" : null)`),
  // ProspectPro has 666 for all.
  some: (of) => `(string(${of}) == "666" ? null : ${of})`,
  // Asked for unless something is switched on.
  unless: (of) => `(${of} == true ? null : 1)`,
  md5: (of) => `hash(lower(string(${of})), "md5")`,
  number: (of) => `number(${of})`,
  csv: (of) => `join(${LISTED(of)}.map(one => trim(string(one))), ",")`,
  // A time and a text as Microsoft Graph has them.
  moment: (of) => `{ dateTime: formatDate(date(${of}), "yyyy-MM-dd'T'HH:mm:ss", "UTC"), timeZone: "UTC" }`,
  note: (of) => `{ content: ${of}, contentType: "html" }`,
  // Fields of a person; a star is all of them.
  people: (of) => maskOf(LISTED(of)),
  // The id of a review in its whole name.
  review: (of) => `split(last(split(string(${of}), "reviews/")), "/")[0]`,
  internal: (of) => `(${of} == "internal")`,
  // A note of a ticket, which its customer does not see.
  article: (of) => `{ body: ${of}, internal: true }`,
  // Objects as Xero writes their fields.
  capitals: (of) =>
    `[${of}].flat().map(one => fromEntries(entries(one).map(pair => [replace(capitalize(pair[0]), "ItemId", "ItemID"), pair[1]])))`,
  // That there is a value.
  set: (of) => `(${of} != null ? true : null)`,
  isSet: (of) => `![null, false].includes(${of})`,
  enabled: (of) => `(string(${of}) == "true" ? "enabled" : "disabled")`,
  numbers: (of) => `[${of}].flat().map(one => number(one))`,
  // What forms say as `0` and `1`.
  flag: (of) => `["1", "true"].includes(string(${of}))`,
  // As Pipedrive has addresses and phone numbers, and who takes part.
  values: (of) => `${LISTED(of)}.map(one => ({ value: one }))`,
  participants: (of) => `[{ person_id: ${of}, primary: true }]`,
};

/** Ways of what is switched on or off; what is off is left out. */
const IF_ON: ReadonlySet<string> = new Set(['html', 'one', 'yes']);

/** Ways that make a part of an address as it stands there. */
const IN_ADDRESS: ReadonlySet<string | undefined> = new Set(['path']);

interface Coded {
  readonly several: Service['several'] | undefined;
  readonly awaited: Service['awaited'] | undefined;
  readonly chains: Service['chains'] | undefined;
  readonly more: Operations;
}

/** Only lines are compared with what the vendor says. */
function comparedBy(
  kind: string,
  { operations }: ServiceLines,
  { more, several, awaited, chains }: Coded,
): string {
  if (Object.keys(operations).length === 0) return '';
  const chained = Object.keys(chains ?? {}).filter((name) => !Object.hasOwn(operations, name));
  return comparisonOf(kind, [...Object.keys({ ...more, ...several, ...awaited }), ...chained]);
}

/** The service of its lines, and of operations that no line says. */
export function serviceOf(
  kind: string,
  lines: ServiceLines,
  more: Operations = {},
  { several, awaited, chains }: Pick<Service, 'several' | 'awaited' | 'chains'> = {},
): Service {
  const { credential, first, firsts, by, open, second, difference = '' } = lines;
  return {
    kind,
    credential,
    first,
    ...(firsts && { firsts }),
    ...(by !== undefined && { by }),
    ...(open === true && { open }),
    ...(second !== undefined && { second }),
    difference: `${difference}${comparedBy(kind, lines, { more, several, awaited, chains })}`,
    operations: signed(lines.secret, {
      ...Object.fromEntries(
        Object.entries(lines.operations).map(([name, line]) => [
          name,
          (given: Given) => requestOf(lines, line, given),
        ]),
      ),
      ...more,
    }),
    ...(several && { several }),
    ...(awaited && { awaited }),
    ...(chains && { chains }),
  };
}

type Operations = Service['operations'];

/** The operations with the secret in the query of their requests. */
function signed(secret: string | undefined, operations: Operations): Operations {
  if (secret === undefined) return operations;
  const placed = (url: string): string =>
    url.includes('{secret}') ? url : `${url}${url.includes('?') ? '&' : '?'}${secret}={secret}`;
  return Object.fromEntries(
    Object.entries(operations).map(([name, make]) => [
      name,
      (given: Given) => {
        const made = make(given);
        if ('operator' in made) return made;
        const { next } = made;
        return {
          ...made,
          ...(made.open !== true && { url: placed(made.url) }),
          ...(next && { next: next.isConnected === true ? { ...next, url: placed(next.url) } : next }),
        };
      },
    ]),
  );
}

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
