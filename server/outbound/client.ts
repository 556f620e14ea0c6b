import type { Readable } from 'node:stream';
import type { HttpRequest, HttpResponse } from '#engine';
import { WeftError } from '#engine';
import { createAllowList } from './allow-list.ts';
import { decodedBody, tooLarge } from './body.ts';
import { before, type Deadline, startDeadline } from './deadline.ts';
import { outboundError } from './failures.ts';
import { createGuard, type Guard, resolveBySystem } from './guard.ts';
import { receivedHeaders } from './headers.ts';
import { firstHop, type Hop, nextHop, redirectOf } from './hop.ts';
import type { Outbound, OutboundOptions } from './outbound.ts';
import { createPools, type Pools } from './pools.ts';

interface Exchange {
  readonly guard: Guard;
  readonly pools: Pools;
  readonly deadline: Deadline;
  readonly maxBytes: number;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** The client behind `createOutbound`; what it keeps is said there. */
export function createClient({ allow, ownPort, resolve }: OutboundOptions): Outbound {
  const guard = createGuard({
    allow: createAllowList(allow),
    resolve: resolve ?? resolveBySystem,
    ownPort: ownPort ?? (() => undefined),
  });
  const pools = createPools();
  return {
    async send(request, _by, signal) {
      const first = firstHop(request);
      const deadline = startDeadline(request.timeoutMs, signal);
      try {
        return await follow(first, request, { guard, pools, deadline, maxBytes: request.maxBytes });
      } catch (error) {
        deadline.end();
        throw error;
      }
    },
    close: () => pools.close(),
  };
}

async function follow(first: Hop, { redirects }: HttpRequest, exchange: Exchange): Promise<HttpResponse> {
  let hop = first;
  for (let followed = 0; ; followed++) {
    const answer = await send(hop, exchange);
    const location = redirects > 0 ? redirectOf(answer.status, answer.headers) : undefined;
    if (location === undefined) return responseOf(hop, answer, exchange);
    answer.body.destroy();
    if (followed === redirects) {
      throw new WeftError('outbound_failed', `${first.target.host} redirects more than ${redirects} times.`, {
        transient: false,
      });
    }
    hop = nextHop(hop, answer.status, location);
  }
}

async function send({ target, method, headers, body }: Hop, exchange: Exchange): Promise<Answer> {
  const { guard, pools, deadline } = exchange;
  try {
    const addresses = await before(deadline, guard(target));
    const answer = await pools.take(target, addresses).request({
      path: `${target.url.pathname}${target.url.search}`,
      method: method as 'GET',
      headers,
      body: body ?? null,
      signal: deadline.signal,
    });
    // An answer that nobody reads may still break off.
    const unread = answer.body.on('error', () => {});
    return { status: answer.statusCode, headers: receivedHeaders(answer.headers), body: unread };
  } catch (error) {
    throw outboundError(error, target.origin, deadline);
  }
}

function responseOf(hop: Hop, { status, headers, body }: Answer, exchange: Exchange): HttpResponse {
  const hasBody = hop.method !== 'HEAD' && status !== 204 && status !== 304;
  const stream = hasBody ? decodedBody(body, headers['content-encoding']) : body;
  return { status, headers, url: hop.target.url.href, body: limited(stream, hop.target.origin, exchange) };
}

async function* limited(
  stream: Readable,
  origin: string,
  { deadline, maxBytes }: Exchange,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    throw outboundError(error, origin, deadline);
  } finally {
    deadline.end();
  }
}
