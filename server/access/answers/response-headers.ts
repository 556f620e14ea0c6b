import { ServiceError } from '../../base/errors/errors.ts';
import { cookieName } from '../security/cookies.ts';

/** A token of RFC 9110, section 5.6.2. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Characters that Node can send: Latin-1 without control characters, so without a line break that would start another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Set by the server, because they describe how the bytes travel, or by the platform, because they identify the answer. */
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

/** These apply to everything at this address, including the editor, and some persist in the browser. */
const OF_THE_ORIGIN = new Set([
  'alt-svc',
  'clear-site-data',
  'nel',
  'report-to',
  'sec-session-registration',
  'secure-session-registration',
  'service-worker-allowed',
  'strict-transport-security',
]);

/** Headers in their order; a name may come more than once. */
export type Headers = readonly (readonly [name: string, value: string])[];

/**
 * Headers that a flow sets, with names in lower case. Throws `bad_response` for one that cannot be sent, or that
 * would affect the editor, which may have the same origin.
 */
export function checkedHeaders(headers: Readonly<Record<string, unknown>>): Headers {
  return Object.entries(headers).map(([given, value]) => {
    const shown = JSON.stringify(given.slice(0, 100));
    if (!NAME.test(given)) throw badHeader(`${shown} is not a header name`);
    const name = given.toLowerCase();
    if (RESERVED.has(name)) throw badHeader(`the header ${shown} is set by the server`);
    if (OF_THE_ORIGIN.has(name))
      throw badHeader(`the header ${shown} would apply to this whole server, which no flow may decide`);
    if (typeof value !== 'string') throw badHeader(`the value of ${shown} is not text`);
    if (!VALUE.test(value))
      throw badHeader(`the value of ${shown} has a line break or a character beyond Latin-1`);
    const harm = harms[name]?.(value);
    if (harm !== undefined) throw badHeader(`${shown} ${harm}`);
    return [name, value] as const;
  });
}

/** A browser sends a cookie without a name back as its value alone, so it could pass for the session cookie. */
const OWN_COOKIE = new RegExp(`^[\\s=]*${cookieName('')}`, 'i');
/** The scheme of an address after the browsers' clean-up: without whitespace and control characters. */
const SCRIPT_ADDRESS = /^(?:javascript|vbscript|data):/i;
const REFRESH_ADDRESS = /^[\d.]*[;,]*(?:url=)?['"]?(?:javascript|vbscript|data):/i;

/** The forbidden effect of a value. */
const harms: Readonly<Record<string, (value: string) => string | undefined>> = {
  'set-cookie': (value) =>
    OWN_COOKIE.test(value) ? "sets the cookie of the editor's session; choose another name" : undefined,
  location: (value) =>
    SCRIPT_ADDRESS.test(value.replace(/\s/g, '')) ? 'leads to a script or to inline data' : undefined,
  refresh: (value) =>
    REFRESH_ADDRESS.test(value.replace(/\s/g, '')) ? 'leads to a script or to inline data' : undefined,
};

/** Pages of flows may share their origin with the editor: the sandbox keeps their scripts away from its session. */
const SANDBOX = 'sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads';
/** Longer types have no legitimate use. */
const MAX_TYPE = 200;
/** One type with well-formed parameters. Readers disagree about everything else, even a comma. */
const MEDIA_TYPE =
  /^[\t ]*([\w.!#$&^+-]+\/[\w.!#$&^+-]+)(?:[\t ]*;[\t ]*[\w.!#$&^+-]+=(?:[\w.!#$&^+:/-]+|"[\w.!#$&^+:/ ;=-]*"))*[\t ]*;?[\t ]*$/;
/** Types in which no browser runs scripts. */
const INERT =
  /^(?:application\/(?:json|pdf|octet-stream|(?:x-)?(?:ndjson|jsonl|jsonlines)|[^/]+\+json)|text\/(?:plain|csv|event-stream)|(?:image|audio|video|font)\/[^/]+)$/;
const MARKUP = /svg|xml|html/;
/** Most answers have it, and skip further checks. */
const USUAL_TYPE = 'application/json; charset=utf-8';

/**
 * The final headers of every flow answer, whatever the flow has set: with `nosniff`, and in a sandbox unless no
 * browser runs scripts in the type. If there are several policies, each one applies; ours comes first, so that
 * nothing before it can change how it is read.
 */
export function guardedHeaders(status: number, headers: Headers): Headers {
  const type = headers.findLast(([name]) => name === 'content-type')?.[1];
  const others = headers.filter(([name]) => name !== 'x-content-type-options');
  const guarded = [NOSNIFF, ...others];
  // The headers of a 304 replace those that the browser has cached, whatever the type was.
  const isInert = status === 304 ? false : status === 204 || status === 205 || isInertType(type);
  if (isInert) return guarded;
  const own = others.filter(([name]) => name === POLICY).map(([, value]) => value);
  return [...guarded.filter(([name]) => name !== POLICY), [POLICY, [SANDBOX, ...own].join(', ')]];
}

const POLICY = 'content-security-policy';
const NOSNIFF = ['x-content-type-options', 'nosniff'] as const;

/** Whether no browser runs scripts in this type. */
export function isInertType(type: string | undefined): boolean {
  if (type === USUAL_TYPE) return true;
  if (type === undefined || type.length > MAX_TYPE) return false;
  const media = MEDIA_TYPE.exec(type)?.[1]?.toLowerCase() ?? '';
  return INERT.test(media) && !MARKUP.test(media);
}

/** Throws `bad_response` unless the status can end a request. */
export function checkedStatus(status: unknown): number {
  if (typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new ServiceError(
    'bad_response',
    `The flow answered with the status ${JSON.stringify(status)}; allowed are 200 to 599.`,
  );
}

function badHeader(what: string): ServiceError {
  return new ServiceError('bad_response', `The flow's answer cannot be sent: ${what}.`);
}
