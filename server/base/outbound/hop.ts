import { WeftError } from '#engine';
import type { HttpRequest } from '#engine';
import { isCredential, sendableHeaders } from './headers.ts';
import { parseTarget, type Target } from './target.ts';

/** One exchange of a request that may be redirected. */
export interface Hop {
  readonly target: Target;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: HttpRequest['body'];
  readonly secretHeaders: readonly string[];
  readonly signing: HttpRequest['signing'];
}

const METHOD = /^[A-Z][A-Z0-9-]{0,31}$/;
/** Methods that change the meaning of a connection, or echo the request. */
const closedMethods = new Set(['CONNECT', 'TRACE', 'TRACK']);
const redirects = new Set([301, 302, 303, 307, 308]);

/** Throws `outbound_invalid` or `outbound_refused`. */
export function firstHop(request: HttpRequest): Hop {
  const method = request.method.toUpperCase();
  if (!METHOD.test(method) || closedMethods.has(method)) {
    throw new WeftError(
      'outbound_invalid',
      `${JSON.stringify(method.slice(0, 40))} is not a method that can be sent.`,
    );
  }
  const secretHeaders = (request.secretHeaders ?? []).map((name) => name.toLowerCase());
  const target = parseTarget(request.url);
  const { body, signing } = request;
  return { target, method, headers: sendableHeaders(request.headers), body, secretHeaders, signing };
}

/** Whether an answer is a redirect. */
export function redirectOf(status: number, headers: Readonly<Record<string, string>>): string | undefined {
  return redirects.has(status) ? headers['location'] : undefined;
}

/**
 * The exchange that a redirect requests. Another origin gets no credentials and no body, which were meant for the
 * named origin, and credentials never go from a secure origin in clear text. Throws like `firstHop`.
 */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const target = parseTarget(absolute(location, hop.target.url));
  const headers = { ...hop.headers };
  const stays = target.origin === hop.target.origin;
  if (!stays) dropCredentials(hop, target, headers);
  const signing = stays ? hop.signing : undefined;
  if (!becomesGet(hop.method, status)) {
    if (hop.body !== undefined) checkBodyStays(hop, target);
    return { ...hop, target, headers, signing };
  }
  for (const name of Object.keys(headers)) if (name.startsWith('content-')) delete headers[name];
  return { ...hop, target, headers, signing, method: 'GET', body: undefined };
}

function absolute(location: string, base: URL): string {
  // As strict as for a flow's own addresses, before the parser repairs it.
  if (/^[a-z][a-z0-9+.-]*:/i.test(location)) return location;
  if (!/[\s\\]/.test(location) && URL.canParse(location, base.href)) return new URL(location, base).href;
  throw new WeftError('outbound_invalid', 'The redirect of the other side contains no valid address.');
}

/** The same host may ask for https. Sending the request without its body would be wrong, so it is not sent. */
function checkBodyStays({ target: from }: Hop, to: Target): void {
  if (from.origin === to.origin) return;
  if (from.host === to.host && from.port === 80 && to.port === 443 && to.url.protocol === 'https:') return;
  throw new WeftError(
    'outbound_refused',
    `${from.host} redirects a request with a body to ${to.origin}, which was not sent there. If this is intended, send it to that address.`,
  );
}

function dropCredentials(hop: Hop, target: Target, headers: Record<string, string>): void {
  const dropped = Object.keys(headers).filter((name) => isCredential(name, hop.secretHeaders));
  const isDowngrade = hop.target.url.protocol === 'https:' && target.url.protocol === 'http:';
  if (isDowngrade && (dropped.length > 0 || hop.signing !== undefined)) {
    throw new WeftError(
      'outbound_refused',
      `${hop.target.host} redirects a request with credentials from https to http; it was not followed.`,
    );
  }
  for (const name of dropped) delete headers[name];
}

/** RFC 9110, section 15.4, as all clients implement it. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'HEAD' && method !== 'GET';
  return (status === 301 || status === 302) && method === 'POST';
}
