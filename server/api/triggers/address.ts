/**
 * The part of an address after a route's prefix, still encoded and without the query string. If the client encoded
 * the prefix itself, or sent a whole URL, the slashes are counted.
 */
export function pathBehind(url: string, prefix: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (path.startsWith(prefix)) return path.slice(prefix.length);
  const segments = path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '').split('/');
  return `/${segments.slice(prefix.split('/').length).join('/')}`;
}

/** The query string, without the question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
