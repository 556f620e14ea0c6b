import { type Call, type HttpRequest, WeftError } from '../../base/operator.ts';
import { credentialsFor } from './_auth.ts';
import { bodyOf, filesIn } from './_body.ts';
import type { Params } from './_params.ts';
import { withQuery } from './_url.ts';

/** Methods that change nothing, so that it is safe to send them twice. */
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The request of a node, with its credentials. Throws `bad_params`, `bad_input` and the errors of secrets and files. */
export async function requestOf(
  call: Pick<Call, 'service' | 'asker' | 'random' | 'idempotencyKey'>,
  wanted: Params,
): Promise<HttpRequest> {
  const { method, connection, cookies, redirects, timeoutMs, maxBytes } = wanted;
  if (cookies === 'run') checkCookies(call.asker);
  const files = await filesIn(call, wanted);
  const body = bodyOf(wanted, () => call.random(), files);
  const credentials = await credentialsFor(call, wanted, withQuery(wanted.url, wanted.query));
  const given = lowerCased(wanted.headers);
  const headers = {
    ...(body.type !== undefined && { 'content-type': body.type }),
    ...(wanted.idempotencyKey && !safe.has(method) && { 'idempotency-key': call.idempotencyKey }),
    ...given,
    ...credentials.headers,
  };
  const secretHeaders = Object.keys(credentials.headers);
  return {
    method,
    url: credentials.url,
    ...(connection !== undefined && { connection }),
    headers,
    secretHeaders,
    ...(credentials.signing && { signing: credentials.signing }),
    // Another connection to the same host may be another user.
    ...(cookies === 'run' && { cookies: connection ?? '' }),
    body: body.content,
    redirects,
    timeoutMs,
    maxBytes,
    ...(wanted.response === 'stream' && { streams: true }),
  };
}

/** A durable run goes on after a restart, without what was in memory. Throws `bad_params`. */
function checkCookies({ isDurable }: Call['asker']): void {
  if (isDurable !== true) return;
  throw new WeftError(
    'bad_params',
    'Cookies of a run are in memory, so a durable run cannot have them: take `set-cookie` from the headers of the answer and send it as the header `cookie`, or make the run one that is not durable.',
    { field: 'params.cookies' },
  );
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
