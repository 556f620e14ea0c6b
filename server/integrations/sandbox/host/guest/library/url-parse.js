import { hostOf } from './url-host.js';
import { FRAGMENT, PATH, percentEncoded, QUERY, SPECIAL_QUERY, CONTROL, USERINFO } from './percent.js';

/**
 * The parser of the URL Standard, part by part instead of sign by sign.
 *
 * A `path` that is a text belongs to an address without slashes, such as `mailto:`.
 * @typedef {{
 *   scheme: string, username: string, password: string, host: string | null, port: number | null,
 *   path: string | string[], query: string | null, fragment: string | null,
 * }} UrlParts
 */

/** @type {Map<string, number | null>} */
const SPECIAL = new Map([
  ['http', 80],
  ['https', 443],
  ['ws', 80],
  ['wss', 443],
  ['ftp', 21],
  ['file', null],
]);
const DRIVE = /^[A-Za-z][:|]$/;
const STARTS_WITH_DRIVE = /^[A-Za-z][:|](?:[/\\?#]|$)/;

/** @type {(scheme: string) => boolean} */
export function isSpecial(scheme) {
  return SPECIAL.has(scheme);
}

/** Undefined if it is no URL. @type {(input: string, base?: UrlParts) => UrlParts | undefined} */
export function parseUrl(input, base) {
  const text = withoutBreaks(input.toWellFormed().replace(/^[\0- ]+|[\0- ]+$/g, ''));
  const scheme = /^([A-Za-z][A-Za-z0-9+\-.]*):/.exec(text)?.[1];
  if (scheme !== undefined) return withScheme(scheme.toLowerCase(), text.slice(scheme.length + 1), base);
  if (!base) return undefined;
  if (typeof base.path === 'string') return text.startsWith('#') ? takeTail({ ...base }, text) : undefined;
  return base.scheme === 'file' ? fileUrl(text, base) : relativeUrl(text, base);
}

/** @type {(text: string) => string} */
export function withoutBreaks(text) {
  return text.replace(/[\t\n\r]/g, '');
}

/** @type {(scheme: string, rest: string, base: UrlParts | undefined) => UrlParts | undefined} */
function withScheme(scheme, rest, base) {
  const url = emptyUrl(scheme);
  if (scheme === 'file') return fileUrl(rest, base?.scheme === 'file' ? base : undefined);
  if (isSpecial(scheme)) {
    if (base?.scheme === scheme && !rest.startsWith('//')) return relativeUrl(rest, base);
    return withAuthority(url, rest.replace(/^[/\\]+/, ''));
  }
  if (rest.startsWith('//')) return withAuthority(url, rest.slice(2));
  if (rest.startsWith('/')) return takeTail(url, takePath(url, rest.slice(1)));
  const [path] = splitAt(rest, /[?#]/);
  url.path = percentEncoded(path, CONTROL);
  // A space at the end would be lost in what is written.
  if (path !== rest) url.path = url.path.replace(/ $/, '%20');
  return takeTail(url, rest.slice(path.length));
}

/** @type {(scheme: string) => UrlParts} */
function emptyUrl(scheme) {
  return {
    scheme,
    username: '',
    password: '',
    host: null,
    port: null,
    path: [],
    query: null,
    fragment: null,
  };
}

/** The text before the first match, and the rest with it. @type {(text: string, at: RegExp) => [string, string]} */
function splitAt(text, at) {
  const place = text.search(at);
  return place < 0 ? [text, ''] : [text.slice(0, place), text.slice(place)];
}

/** A copy. @type {(url: UrlParts) => string[]} */
function segmentsOf({ path }) {
  return typeof path === 'string' ? [] : [...path];
}

/** @type {(text: string, base: UrlParts) => UrlParts | undefined} */
function relativeUrl(text, base) {
  const slashes = isSpecial(base.scheme) ? /^[/\\]/ : /^\//;
  const url = { ...base, path: segmentsOf(base), fragment: null };
  if (slashes.test(text)) {
    if (slashes.test(text.slice(1))) {
      const rest = isSpecial(base.scheme) ? text.replace(/^[/\\]+/, '') : text.slice(2);
      return withAuthority(emptyUrl(base.scheme), rest);
    }
    url.path = [];
    url.query = null;
    return takeTail(url, takePath(url, text.slice(1)));
  }
  return relativePath(url, text);
}

/** @type {(url: UrlParts & { path: string[] }, text: string) => UrlParts} */
function relativePath(url, text) {
  if (text === '' || text.startsWith('#')) return takeTail(url, text);
  url.query = null;
  if (text.startsWith('?')) return takeTail(url, text);
  if (url.scheme === 'file' && STARTS_WITH_DRIVE.test(text)) url.path = [];
  else shorten(url);
  return takeTail(url, takePath(url, text));
}

/** @type {(text: string, base: UrlParts | undefined) => UrlParts | undefined} */
function fileUrl(text, base) {
  const url = { ...emptyUrl('file'), host: '' };
  const [, slashes = ''] = /^([/\\]{0,2})/.exec(text) ?? [];
  const rest = text.slice(slashes.length);
  if (slashes.length === 2) return fileOfHost(url, rest);
  if (slashes === '') {
    if (!base) return takeTail(url, takePath(url, text));
    return relativePath({ ...base, path: segmentsOf(base), fragment: null }, text);
  }
  const drive = base?.path[0] ?? '';
  if (base) url.host = base.host ?? '';
  if (!STARTS_WITH_DRIVE.test(rest) && /^[A-Za-z]:$/.test(drive)) url.path = [drive];
  return takeTail(url, takePath(url, rest));
}

/** @type {(url: UrlParts, text: string) => UrlParts | undefined} */
function fileOfHost(url, text) {
  const [name, rest] = splitAt(text, /[/\\?#]/);
  if (DRIVE.test(name)) return takeTail(url, takePath(url, text));
  const host = name === '' ? '' : hostIn('file', name);
  if (host === undefined) return undefined;
  url.host = host;
  return takeTail(url, takePath(url, rest.replace(/^[/\\]/, '')));
}

/** @type {(url: UrlParts, text: string) => UrlParts | undefined} */
function withAuthority(url, text) {
  const special = isSpecial(url.scheme);
  const [authority, rest] = splitAt(text, special ? /[/\\?#]/ : /[/?#]/);
  const at = authority.lastIndexOf('@');
  const hostPort = authority.slice(at + 1);
  if (at >= 0) {
    if (hostPort === '') return undefined;
    const [name, password] = splitAt(authority.slice(0, at), /:/);
    url.username = percentEncoded(name, USERINFO);
    url.password = percentEncoded(password.slice(1), USERINFO);
  }
  if (!takeHostPort(url, hostPort)) return undefined;
  if (rest === '' && !special) return url;
  return takeTail(
    url,
    /^[?#]/.test(rest) && !special ? rest : takePath(url, rest.replace(special ? /^[/\\]/ : /^\//, '')),
  );
}

/** False if it is wrong. @type {(url: UrlParts, text: string) => boolean} */
function takeHostPort(url, text) {
  const [, name = '', colon, digits = ''] = /^((?:\[[^\]]*(?:\]|$)|[^:[])*)(:)?(.*)$/s.exec(text) ?? [];
  if (name === '' && (isSpecial(url.scheme) || colon !== undefined)) return false;
  const host = name === '' ? '' : hostOf(name, isSpecial(url.scheme));
  if (host === undefined || !/^\d*$/.test(digits) || Number(digits) > 65_535) return false;
  url.host = host;
  url.port = portOf(url.scheme, digits);
  return true;
}

/** Null for the port that the scheme has anyway. @type {(scheme: string, digits: string) => number | null} */
export function portOf(scheme, digits) {
  return digits === '' || Number(digits) === SPECIAL.get(scheme) ? null : Number(digits);
}

/**
 * Adds the segments of a path without its first slash to the address, and returns the rest. `isAll`: the text is nothing
 * but a path, in which `?` and `#` are encoded.
 *
 * @type {(url: UrlParts, text: string, isAll?: boolean) => string}
 */
export function takePath(url, text, isAll = false) {
  const [whole, rest] = isAll ? [text, ''] : splitAt(text, /[?#]/);
  const path = /** @type {string[]} */ (url.path);
  const segments = whole.split(isSpecial(url.scheme) ? /[/\\]/ : '/');
  for (const [i, segment] of segments.entries()) {
    const isLast = i === segments.length - 1;
    const dots = segment.replace(/%2e/gi, '.');
    if (dots === '..') shorten({ ...url, path });
    if (dots === '.' || dots === '..') {
      if (isLast) path.push('');
    } else if (url.scheme === 'file' && path.length === 0 && DRIVE.test(segment)) path.push(`${segment[0]}:`);
    else path.push(percentEncoded(segment, PATH));
  }
  return rest;
}

/** Without its last segment, but a drive stays. @type {(url: UrlParts & { path: string[] }) => void} */
function shorten({ scheme, path }) {
  if (scheme === 'file' && path.length === 1 && /^[A-Za-z]:$/.test(String(path[0]))) return;
  path.pop();
}

/** The query and the fragment. @type {(url: UrlParts, text: string) => UrlParts} */
function takeTail(url, text) {
  const [before, fragment] = splitAt(text, /#/);
  if (before.startsWith('?')) url.query = queryText(url, before.slice(1));
  if (fragment !== '') url.fragment = percentEncoded(fragment.slice(1), FRAGMENT);
  return url;
}

/** @type {(url: UrlParts, text: string) => string} */
export function queryText(url, text) {
  return percentEncoded(text, isSpecial(url.scheme) ? SPECIAL_QUERY : QUERY);
}

/** A new host, with a port unless `isName`; what is none changes nothing. @type {(url: UrlParts, text: string, isName?: boolean) => void} */
export function takeHost(url, text, isName = false) {
  const [given] = splitAt(text, isSpecial(url.scheme) ? /[/\\?#]/ : /[/?#]/);
  const [, named = given, digits] = /^((?:\[[^\]]*\]|[^:[])*):(\d*)/.exec(given) ?? [];
  if (digits !== undefined && (isName || url.scheme === 'file' || named === '')) return;
  const host = named === '' ? emptyHost(url) : hostIn(url.scheme, named);
  if (host === undefined) return;
  url.host = host;
  url.port = newPort(url, digits);
}

/** @type {(scheme: string, name: string) => string | undefined} */
function hostIn(scheme, name) {
  const host = hostOf(name, isSpecial(scheme));
  return scheme === 'file' && host === 'localhost' ? '' : host;
}

/** The old one if there is none, or a wrong one. @type {(url: UrlParts, digits: string | undefined) => number | null} */
function newPort({ scheme, port }, digits = '') {
  return digits === '' || Number(digits) > 65_535 ? port : portOf(scheme, digits);
}

/** Undefined where an address needs a host. @type {(url: UrlParts) => string | undefined} */
function emptyHost({ scheme, username, port }) {
  return (isSpecial(scheme) && scheme !== 'file') || username !== '' || port !== null ? undefined : '';
}

/** @type {(url: UrlParts) => string} */
export function pathText({ path }) {
  return typeof path === 'string' ? path : path.map((segment) => `/${segment}`).join('');
}

/** @type {(url: UrlParts) => string} */
export function hostText({ host, port }) {
  return port === null ? String(host ?? '') : `${host}:${port}`;
}

/** @type {(url: UrlParts) => string} */
export function urlText(url) {
  const { scheme, username, password, host, path, query, fragment } = url;
  const login =
    username === '' && password === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`;
  // A path that begins with two slashes would be read as a host.
  const dot = typeof path !== 'string' && path.length > 1 && path[0] === '' ? '/.' : '';
  const place = host === null ? dot : `//${login}${hostText(url)}`;
  return `${scheme}:${place}${pathText(url)}${query === null ? '' : `?${query}`}${fragment === null ? '' : `#${fragment}`}`;
}
