import { type HttpResponse, WeftError } from '#engine';

type Headers = Readonly<Record<string, string>>;

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that the connection itself needs; another value would smuggle in a second request or another host. */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that carry credentials by convention, regardless of who set them. */
const credential = /^(?:authorization|cookie|(?!idempotency-).*-(?:token|secret|signature|key))$/;

/** Checked, with lower-case names, and with the headers of every request. Throws `outbound_invalid`. */
export function sendableHeaders(given: Headers): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': 'weft', 'accept-encoding': 'gzip, br' };
  for (const [key, value] of Object.entries(given)) {
    const name = key.toLowerCase();
    if (!NAME.test(name)) throw invalid(`${JSON.stringify(key.slice(0, 100))} is not a header name.`);
    if (ownHeaders.has(name)) throw invalid(`The header ${name} is set by the connection; leave it out.`);
    if (!VALUE.test(value)) throw invalid(`The header ${name} must be printable text on one line.`);
    headers[name] = value;
  }
  return headers;
}

/** Whether a header must not reach another origin than its own. */
export function isCredential(name: string, secretHeaders: readonly string[]): boolean {
  return credential.test(name) || secretHeaders.includes(name);
}

/** As in `HttpResponse`: several values of one name are joined, except cookies, whose dates contain commas. */
export function receivedHeaders(
  raw: Readonly<Record<string, string | string[] | undefined>>,
): Pick<HttpResponse, 'headers' | 'cookies'> {
  const { 'set-cookie': cookies, ...others } = raw;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(others)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return cookies === undefined ? { headers } : { headers, cookies: [cookies].flat() };
}

function invalid(message: string): WeftError {
  return new WeftError('outbound_invalid', message);
}
