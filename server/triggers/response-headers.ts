import { ServiceError } from '../errors.ts';

/** A token of RFC 9110, section 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What Node can send: Latin-1 without control characters, so no line break that would begin another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Set by the server, since they say how the bytes travel; or by the platform, since they identify the answer. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-weft-run',
  'x-weft-version',
  'x-request-id',
]);

export type Headers = readonly (readonly [name: string, value: string])[];

/** Headers that a flow sets, with names in lower case. Throws `bad_response` for one that may not or cannot be sent. */
export function checkedHeaders(headers: Readonly<Record<string, unknown>>): Headers {
  return Object.entries(headers).map(([name, value]) => {
    const shown = JSON.stringify(name.slice(0, 100));
    if (!NAME.test(name)) throw badHeader(`${shown} is no header name`);
    if (RESERVED.has(name.toLowerCase())) throw badHeader(`the header ${shown} is set by the server`);
    if (typeof value !== 'string') throw badHeader(`the value of ${shown} is not text`);
    if (!VALUE.test(value))
      throw badHeader(`the value of ${shown} has a line break or a character beyond Latin-1`);
    return [name.toLowerCase(), value] as const;
  });
}

/** Throws `bad_response` unless it is a status that can end a request. */
export function checkedStatus(status: unknown): number {
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new ServiceError(
    'bad_response',
    `The flow answered with the status ${JSON.stringify(status)}; it takes 200 to 599.`,
  );
}

function badHeader(what: string): ServiceError {
  return new ServiceError('bad_response', `The flow's answer cannot be sent: ${what}.`);
}
