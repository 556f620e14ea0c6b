import type { Call, HttpRequest } from '../../base/operator.ts';
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
  const { method, connection, redirects, timeoutMs, maxBytes } = wanted;
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
    body: body.content,
    redirects,
    timeoutMs,
    maxBytes,
    ...(wanted.response === 'stream' && { streams: true }),
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
