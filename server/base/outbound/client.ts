import { Readable } from 'node:stream';
import type { Asker, HttpPiece, HttpRequest, HttpResponse, HttpService, Signing } from '#engine';
import { WeftError, waitedFor } from '#engine';
import type { FileValue } from '#shared/file.ts';
import { maySendTo } from '#shared/secret.ts';
import { lazy } from '../parts/lazy.ts';
import { createAllowList } from './allow-list.ts';
import { decodedBody, tooLarge } from './body.ts';
import { createJars, type Jar } from './cookies.ts';
import { before, type Deadline, startDeadline } from './deadline.ts';
import { outboundError } from './failures.ts';
import { type Allowed, createGuard, type Guard, type Resolve, resolveBySystem, type Way } from './guard.ts';
import { receivedHeaders } from './headers.ts';
import { firstHop, type Hop, nextHop, redirectOf } from './hop.ts';
import { limitsOf, type OutboundLimits } from './limits.ts';
import { type CallKind, createPlaces, type GiveBack, type OriginCounts, type Places } from './places.ts';
import { type ClientTls, createPools, type Pools } from './pools.ts';
import { createProxies, type OwnProxy, type ProxyDns, type ProxySettings } from './proxy.ts';
import type { Signers } from './signing.ts';
import { createSockets, type Sockets } from './sockets.ts';
import type { Target } from './target.ts';
import { createTunnels } from './tunnels.ts';
import { isNotSent, untilHeld, whileHeld } from './while-held.ts';

/** What an administrator allowed for one request. Operators and code cannot set it. */
export interface Reach {
  /** A `host:port` on this machine or in a private network. */
  readonly near?: string | undefined;
  /** Another proxy than that of the server, or none. */
  readonly proxy?: OwnProxy;
  /**
   * The authorities that alone are trusted, and a certificate of this client, in PEM. For the origin of the request: others to which
   * it is redirected are met as usual.
   */
  readonly tls?: ClientTls | undefined;
}

/** The client of the server's own parts. `reach` is what their settings allow, for this request only. */
export interface ProviderHttp {
  send(
    ...call: [...request: Parameters<HttpService['send']>, reach?: Reach | undefined]
  ): ReturnType<HttpService['send']>;
}

/**
 * The only way for flows to reach the outside.
 * OO1. Every hop of a request, redirects too, passes the guard; its connection goes to the addresses that were
 *      checked.
 * OO2. Time, size after decompression, and headers are limited; nothing is read beyond the demand of the reader.
 * OO3. No proxy but the one that the owner or a connection names, no cookies but those of a jar that the request names, no
 *      credentials except those of the request, which stay with their origin.
 * OO4. Connections to an origin are limited and shared fairly (`places.ts`); the time limit of a request
 *      includes waiting for one.
 * OO5. A socket passes the same guard and counts among the same connections, unless it cancels the work of another one; its
 *      peer is one of the checked addresses.
 */
export interface Outbound extends ProviderHttp, Sockets {
  counts(): OriginCounts[];
  /** A run has ended, and with it its cookies. */
  readonly forget: (run: string) => void;
  close(): Promise<void>;
}

/** Limits of requests to other servers. */
export interface OutboundOptions {
  /** The value of WEFT_OUTBOUND_ALLOW. */
  readonly allow: readonly string[];
  /** The value of WEFT_OUTBOUND_LIMITS. */
  readonly limits?: OutboundLimits;
  /** From WEFT_PROXY and its companions. */
  readonly proxy?: ProxySettings | undefined;
  /** The value of WEFT_PROXY_DNS. */
  readonly proxyDns?: ProxyDns | undefined;
  readonly ownPort?: () => number | undefined;
  readonly resolve?: Resolve;
  /** The content of a file in a body. */
  readonly openFile?: (file: FileValue, by: Asker) => Promise<AsyncIterable<Uint8Array> | undefined>;
}

interface Exchange {
  readonly guard: (target: Target) => ReturnType<Guard>;
  readonly pools: Pools;
  readonly places: Places;
  readonly signers: () => Promise<Signers>;
  readonly jar: Jar | undefined;
  readonly limits: OutboundLimits;
  readonly kind: CallKind;
  readonly by: Asker;
  readonly deadline: Deadline;
  readonly maxBytes: number;
  readonly openFile: OutboundOptions['openFile'];
  readonly onlyHosts: HttpRequest['onlyHosts'];
  /** For the origin of the request. */
  readonly tls: ClientTls | undefined;
  readonly origin: string;
}

interface Answer extends Pick<HttpResponse, 'status' | 'headers' | 'cookies'> {
  readonly body: Readable;
}

/** The client of `createOutbound`, which states the guarantees. */
export function createClient(options: OutboundOptions): Outbound {
  const { allow, limits = {}, proxy, proxyDns, ownPort, resolve, openFile } = options;
  const guard = createGuard({
    allow: createAllowList(allow),
    resolve: resolve ?? resolveBySystem,
    ownPort: ownPort ?? (() => undefined),
    proxies: createProxies(proxy, proxyDns ?? 'local'),
  });
  const tunnel = createTunnels(guard);
  const pools = createPools(tunnel);
  const places = createPlaces(limits);
  const jars = createJars();
  const signers = lazy(async () => (await import('./signing.ts')).createSigners());
  return {
    async send(request, by, signal, reach) {
      const first = firstHop(request);
      const deadline = startDeadline(request.timeoutMs, signal);
      const kind = request.streams === true ? 'streams' : 'calls';
      const allowed = allowedBy(reach);
      const { maxBytes, onlyHosts } = request;
      try {
        return await follow(first, request, {
          guard: (target) => guard(target, allowed),
          pools,
          places,
          signers,
          jar: request.cookies === undefined ? undefined : jars.of(by.run, request.cookies),
          limits,
          kind,
          by,
          deadline,
          maxBytes,
          openFile,
          onlyHosts,
          tls: reach?.tls,
          origin: first.target.origin,
        });
      } catch (error) {
        deadline.end();
        throw error;
      }
    },
    connect: createSockets({ guard, places, tunnel }),
    counts: () => places.counts(),
    forget: (run) => jars.forget(run),
    close: () => pools.close(),
  };
}

function allowedBy(reach: Reach | undefined): Allowed | undefined {
  if (reach === undefined) return undefined;
  const { near, proxy } = reach;
  return { near: near === undefined ? undefined : createAllowList([near]), proxy };
}

async function follow(first: Hop, { redirects }: HttpRequest, exchange: Exchange): Promise<HttpResponse> {
  let hop = first;
  for (let followed = 0; ; followed++) {
    const answer = await (hop.signing === undefined
      ? send(hop, exchange)
      : signed(hop, hop.signing, exchange));
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

/** The hop is sent with credentials that are computed from it. */
async function signed(hop: Hop, signing: Signing, exchange: Exchange): Promise<Answer> {
  return (await exchange.signers()).send(
    { ...hop, signing },
    {
      send: (one) => send(one, exchange),
      bytes: (body) => contentOf(body === undefined || !Array.isArray(body) ? [body ?? ''] : body, exchange),
    },
  );
}

async function send(hop: Hop, exchange: Exchange): Promise<Answer> {
  for (;;) {
    await untilHeld(exchange.by, exchange.deadline);
    try {
      return await sendOnce(hop, exchange);
    } catch (error) {
      if (!isNotSent(error)) throw error;
    }
  }
}

async function sendOnce({ target, method, headers, body }: Hop, exchange: Exchange): Promise<Answer> {
  const { guard, pools, limits, kind, deadline } = exchange;
  let way: Way | undefined;
  try {
    checkDeclared(target, exchange.onlyHosts);
    way = await before(deadline, guard(target));
    const giveBack = await connectionTo(target, exchange);
    const tls = target.origin === exchange.origin ? exchange.tls : undefined;
    const pool = pools.take(target, { ...way, tls }, kind, limitsOf(target, limits)[kind]);
    const sent = whileHeld(pool, exchange.by.claim).request({
      path: `${target.url.pathname}${target.url.search}`,
      method: method as 'GET',
      ...sentBody(
        exchange.jar === undefined ? headers : withCookies(headers, exchange.jar, target),
        body,
        exchange,
      ),
      signal: deadline.signal,
    });
    // Its connection is in use until the last byte, or until a connection that is still being opened has been given up.
    // An unread answer, or one that comes at the deadline, may still break off.
    sent.then((answer) => answer.body.on('error', () => {}).once('close', giveBack), giveBack);
    const { statusCode, headers: received, body: unread } = await before(deadline, sent);
    const answer = { status: statusCode, ...receivedHeaders(received), body: unread };
    exchange.jar?.take(target, answer.cookies ?? []);
    return answer;
  } catch (error) {
    throw isNotSent(error) ? error : outboundError(error, target.origin, deadline, way?.proxy);
  }
}

function withCookies(headers: Hop['headers'], jar: Jar, target: Target): Hop['headers'] {
  const cookie = jar.header(target, headers['cookie']);
  return cookie === undefined ? headers : { ...headers, cookie };
}

/** A body in pieces is read from its store as fast as it is sent. */
function sentBody(
  headers: Hop['headers'],
  body: Hop['body'],
  exchange: Exchange,
): { headers: Hop['headers']; body: string | Uint8Array | Readable | null } {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    return { headers, body: body ?? null };
  const length = body.reduce((sum, piece) => sum + bytesOf(piece), 0);
  return {
    headers: { ...headers, 'content-length': String(length) },
    body: Readable.from(contentOf(body, exchange), { objectMode: false }),
  };
}

function bytesOf(piece: HttpPiece): number {
  if (typeof piece === 'string') return Buffer.byteLength(piece);
  return piece instanceof Uint8Array ? piece.length : piece.bytes;
}

async function* contentOf(
  pieces: readonly HttpPiece[],
  { openFile, by }: Exchange,
): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece);
    else if (piece instanceof Uint8Array) yield piece;
    else yield* (await openFile?.(piece, by)) ?? [];
  }
}

/** Throws `package_not_declared` for a host that the asking package has not declared. */
function checkDeclared({ origin }: Target, onlyHosts: HttpRequest['onlyHosts']): void {
  if (onlyHosts === undefined) return;
  const { of, hosts } = onlyHosts;
  if (hosts.includes('*') || maySendTo(hosts, origin)) return;
  throw new WeftError(
    'package_not_declared',
    `The package ${of} sends a request to ${origin}, which it does not declare.`,
  );
}

/** Waits for a connection if all are in use, and reports the time to the run. */
async function connectionTo(target: Target, { places, kind, by, deadline }: Exchange): Promise<GiveBack> {
  const taken = places.take(target, kind, by.flow, deadline.signal);
  if (typeof taken === 'function') return taken;
  const start = Date.now();
  try {
    return await taken;
  } catch (error) {
    if (error instanceof WeftError && error.code === 'outbound_timeout')
      throw new WeftError(
        'outbound_timeout',
        `${error.message} All connections to ${target.origin} were in use; WEFT_OUTBOUND_LIMITS allows more.`,
      );
    throw error;
  } finally {
    waitedFor(by, { for: `a connection to ${target.origin}`, ms: Date.now() - start });
  }
}

function responseOf(hop: Hop, { body, ...answer }: Answer, exchange: Exchange): HttpResponse {
  const { status, headers } = answer;
  const hasBody = hop.method !== 'HEAD' && status !== 204 && status !== 304;
  // Read to its end at once, which releases its connection even if the answer is not used.
  const stream = hasBody ? decodedBody(body, headers['content-encoding']) : body.resume();
  return { ...answer, url: hop.target.url.href, body: limited(stream, hop.target.origin, exchange) };
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
