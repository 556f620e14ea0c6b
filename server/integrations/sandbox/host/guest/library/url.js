import { FRAGMENT, percentBytes, percentDecoded, percentEncoded, USERINFO } from './percent.js';
import {
  hostText,
  isSpecial,
  parseUrl,
  pathText,
  portOf,
  queryText,
  takeHost,
  takePath,
  urlText,
  withoutBreaks,
} from './url-parse.js';

/** `URL` and `URLSearchParams` of the URL Standard. */

/** What changes of a URL's own search parameters do. @type {WeakMap<URLSearchParams, () => void>} */
const changes = new WeakMap();
/** @type {WeakMap<URLSearchParams, [string, string][]>} */
const lists = new WeakMap();

/** @type {(text: string) => [string, string][]} */
function pairsOf(text) {
  return text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
      return [formDecoded(name), formDecoded(value)];
    });
}

/** @type {(text: string) => string} */
function formDecoded(text) {
  return percentDecoded(text.replaceAll('+', ' ').toWellFormed());
}

/** @type {(text: string) => string} */
function formEncoded(text) {
  let done = '';
  for (const sign of text) {
    if (/^[A-Za-z0-9*\-._]$/.test(sign)) done += sign;
    else done += sign === ' ' ? '+' : percentBytes(sign);
  }
  return done;
}

/** @type {(value: unknown) => string} */
function formText(value) {
  return String(value).toWellFormed();
}

/** @type {(init: unknown) => [string, string][]} */
function pairsFrom(init) {
  if (typeof init !== 'object' || init === null) return pairsOf(String(init).replace(/^\?/, ''));
  const isIterable = typeof Reflect.get(init, Symbol.iterator) === 'function';
  const entries = isIterable ? [.../** @type {Iterable<unknown>} */ (init)] : Object.entries(init);
  return entries.map((entry) => {
    const pair = [.../** @type {Iterable<unknown>} */ (entry)];
    if (pair.length !== 2) throw new TypeError('URLSearchParams takes pairs of a name and a value.');
    return [formText(pair[0]), formText(pair[1])];
  });
}

export class URLSearchParams {
  /** @param {unknown} init */
  constructor(init = '') {
    lists.set(this, pairsFrom(init));
  }

  /** @type {() => [string, string][]} */
  #list() {
    return lists.get(this) ?? [];
  }

  /** @type {(list: [string, string][]) => void} */
  #put(list) {
    lists.set(this, list);
    changes.get(this)?.();
  }

  get size() {
    return this.#list().length;
  }

  /** @type {(name: unknown, value: unknown) => void} */
  append(name, value) {
    this.#put([...this.#list(), [formText(name), formText(value)]]);
  }

  /** @type {(name: unknown, value?: unknown) => void} */
  delete(name, value) {
    this.#put(this.#list().filter((pair) => !isPair(pair, name, value)));
  }

  /** @type {(name: unknown) => string | null} */
  get(name) {
    return this.#list().find((pair) => isPair(pair, name))?.[1] ?? null;
  }

  /** @type {(name: unknown) => string[]} */
  getAll(name) {
    return this.#list().flatMap((pair) => (isPair(pair, name) ? [pair[1]] : []));
  }

  /** @type {(name: unknown, value?: unknown) => boolean} */
  has(name, value) {
    return this.#list().some((pair) => isPair(pair, name, value));
  }

  /** @type {(name: unknown, value: unknown) => void} */
  set(name, value) {
    const list = this.#list();
    const first = list.findIndex((pair) => isPair(pair, name));
    if (first < 0) return this.append(name, value);
    const others = list.filter((pair, i) => i <= first || !isPair(pair, name));
    others[first] = [formText(name), formText(value)];
    this.#put(others);
  }

  sort() {
    this.#put(this.#list().toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));
  }

  /** @type {(fn: (value: string, name: string, all: URLSearchParams) => void) => void} */
  forEach(fn) {
    for (const [name, value] of this) fn(value, name, this);
  }

  *entries() {
    for (const [name, value] of this.#list()) yield [name, value];
  }

  *keys() {
    for (const [name] of this.#list()) yield name;
  }

  *values() {
    for (const [, value] of this.#list()) yield value;
  }

  [Symbol.iterator]() {
    return /** @type {Generator<[string, string]>} */ (this.entries());
  }

  toString() {
    return this.#list()
      .map(([name, value]) => `${formEncoded(name)}=${formEncoded(value)}`)
      .join('&');
  }
}

/** @type {(pair: [string, string], name: unknown, value?: unknown) => boolean} */
function isPair([ownName, ownValue], name, value) {
  return ownName === formText(name) && (value === undefined || ownValue === formText(value));
}

/** @type {(input: unknown, base: unknown) => import('./url-parse.js').UrlParts | undefined} */
function partsOf(input, base) {
  const under = base === undefined ? undefined : parseUrl(formText(base));
  return base !== undefined && !under ? undefined : parseUrl(formText(input), under);
}

export class URL {
  #parts;
  #search;

  /** @param {unknown} input @param {unknown} [base] */
  constructor(input, base) {
    const parts = partsOf(input, base);
    if (!parts) throw new TypeError(`Invalid URL: ${String(input).slice(0, 500)}`);
    this.#parts = parts;
    this.#search = new URLSearchParams();
    lists.set(this.#search, pairsOf(parts.query ?? ''));
    changes.set(this.#search, () => {
      const text = this.#search.toString();
      this.#parts.query = text === '' ? null : text;
    });
  }

  /** @type {(input: unknown, base?: unknown) => boolean} */
  static canParse(input, base) {
    return partsOf(input, base) !== undefined;
  }

  /** @type {(input: unknown, base?: unknown) => URL | null} */
  static parse(input, base) {
    return URL.canParse(input, base) ? new URL(input, base) : null;
  }

  get href() {
    return urlText(this.#parts);
  }

  set href(text) {
    this.#parts = new URL(text).#parts;
    lists.set(this.#search, pairsOf(this.#parts.query ?? ''));
  }

  /** @returns {string} */
  get origin() {
    const { scheme } = this.#parts;
    if (scheme === 'blob' && /^https?:/.test(pathText(this.#parts)))
      return URL.parse(pathText(this.#parts))?.origin ?? 'null';
    return isSpecial(scheme) && scheme !== 'file' ? `${scheme}://${hostText(this.#parts)}` : 'null';
  }

  get protocol() {
    return `${this.#parts.scheme}:`;
  }

  set protocol(text) {
    const scheme = /^([A-Za-z][A-Za-z0-9+\-.]*)(?::|$)/.exec(withoutBreaks(String(text)))?.[1]?.toLowerCase();
    const { scheme: old, username, password, port, host } = this.#parts;
    if (scheme === undefined || isSpecial(scheme) !== isSpecial(old)) return;
    if (scheme === 'file' && (username !== '' || password !== '' || port !== null)) return;
    if (old === 'file' && host === '') return;
    this.#parts.scheme = scheme;
    this.#parts.port = portOf(scheme, port === null ? '' : String(port));
  }

  get #hasLogin() {
    const { host, scheme } = this.#parts;
    return host !== null && host !== '' && scheme !== 'file';
  }

  get username() {
    return this.#parts.username;
  }

  set username(text) {
    if (this.#hasLogin) this.#parts.username = percentEncoded(String(text), USERINFO);
  }

  get password() {
    return this.#parts.password;
  }

  set password(text) {
    if (this.#hasLogin) this.#parts.password = percentEncoded(String(text), USERINFO);
  }

  get host() {
    return hostText(this.#parts);
  }

  set host(text) {
    if (typeof this.#parts.path !== 'string') takeHost(this.#parts, withoutBreaks(String(text)));
  }

  get hostname() {
    return this.#parts.host ?? '';
  }

  set hostname(text) {
    if (typeof this.#parts.path !== 'string') takeHost(this.#parts, withoutBreaks(String(text)), true);
  }

  get port() {
    return this.#parts.port === null ? '' : String(this.#parts.port);
  }

  set port(text) {
    const given = withoutBreaks(String(text));
    const digits = /^\d+/.exec(given)?.[0] ?? '';
    if (!this.#hasLogin || (digits === '' && String(text) !== '') || Number(digits) > 65_535) return;
    this.#parts.port = portOf(this.#parts.scheme, digits);
  }

  get pathname() {
    return pathText(this.#parts);
  }

  set pathname(text) {
    const parts = this.#parts;
    if (typeof parts.path === 'string') return;
    const given = withoutBreaks(String(text).toWellFormed());
    parts.path = [];
    if (given === '' && !isSpecial(parts.scheme) && parts.host !== null) return;
    takePath(parts, given.replace(isSpecial(parts.scheme) ? /^[/\\]/ : /^\//, ''), true);
  }

  get search() {
    const { query } = this.#parts;
    return query === null || query === '' ? '' : `?${query}`;
  }

  set search(text) {
    const given = withoutBreaks(String(text).toWellFormed().replace(/^\?/, ''));
    this.#parts.query = String(text) === '' ? null : queryText(this.#parts, given);
    lists.set(this.#search, pairsOf(this.#parts.query ?? ''));
  }

  get searchParams() {
    return this.#search;
  }

  get hash() {
    const { fragment } = this.#parts;
    return fragment === null || fragment === '' ? '' : `#${fragment}`;
  }

  set hash(text) {
    const given = withoutBreaks(String(text).toWellFormed().replace(/^#/, ''));
    this.#parts.fragment = String(text) === '' ? null : percentEncoded(given, FRAGMENT);
  }

  toString() {
    return this.href;
  }

  toJSON() {
    return this.href;
  }
}
