import http from 'node:http';
import type { Socket } from 'node:net';
import { WeftError } from '#engine';
import { createAllowList } from './allow-list.ts';
import { before, type Deadline, startDeadline } from './deadline.ts';
import { type Destination, notAccepted, proxyError, refusedBy } from './failures.ts';
import type { Guard, Way } from './guard.ts';
import { encrypted, openSocket } from './open-socket.ts';
import type { Proxy } from './proxy.ts';
import { askSocks } from './socks.ts';

/**
 * Opens a socket to a destination through a proxy: what is written to it arrives there.
 * OTU1. The proxy is handed one of the checked addresses, never a name that was looked up here; the next one if it cannot reach it.
 * OTU2. The proxy itself is a destination that the owner named: it may be near, but is no metadata service.
 * OTU3. Credentials go to the proxy alone, and no error contains them.
 * Throws `proxy_failed`, `proxy_refused`, `proxy_auth`, or `outbound_failed` if the proxy cannot reach the destination.
 */
export type Tunnel = (
  to: Destination,
  way: Way & { readonly proxy: Proxy },
  signal: AbortSignal,
) => Promise<Socket>;

/** Milliseconds in which a proxy has to open a tunnel. */
const TUNNEL_MS = 10_000;
/** Each attempt is another connection to the proxy. */
const MOST_ADDRESSES = 3;

export function createTunnels(guard: Guard): Tunnel {
  return async (to, { addresses, proxy }, signal) => {
    const deadline = startDeadline(TUNNEL_MS, signal, () => tooSlow(proxy, to));
    const hosts = addresses.slice(0, MOST_ADDRESSES);
    try {
      return await throughOne(proxy, to, hosts, deadline);
    } finally {
      deadline.end();
    }
  };

  /** To the first of the hosts that the proxy reaches. */
  async function throughOne(
    proxy: Proxy,
    to: Destination,
    [host = to.host, ...others]: readonly string[],
    deadline: Deadline,
  ): Promise<Socket> {
    try {
      return await through(proxy, { ...to, host }, deadline);
    } catch (error) {
      const isUnreached = error instanceof WeftError && error.code === 'outbound_failed';
      if (!isUnreached || others.length === 0) throw error;
      return throughOne(proxy, to, others, deadline);
    }
  }

  async function through(proxy: Proxy, to: Destination, deadline: Deadline): Promise<Socket> {
    const socket = await toProxy(proxy, deadline);
    try {
      const ask = proxy.protocol === 'socks5' ? askSocks : askHttp;
      await before(deadline, ask(socket, proxy, to));
      return socket;
    } catch (error) {
      socket.destroy();
      throw proxyError(error, proxy, deadline);
    }
  }

  async function toProxy(proxy: Proxy, deadline: Deadline): Promise<Socket> {
    const { host, port } = proxy;
    const named = createAllowList([`${host.includes(':') ? `[${host}]` : host}:${port}`]);
    try {
      const { addresses } = await before(deadline, guard(proxy, { near: named, proxy: 'none' }));
      const socket = await openSocket(proxy, addresses, deadline);
      return proxy.protocol === 'https' ? await encrypted(socket, proxy, {}, deadline) : socket;
    } catch (error) {
      throw proxyError(error, proxy, deadline);
    }
  }
}

function tooSlow({ shown }: Proxy, { origin }: Destination): WeftError {
  return new WeftError(
    'proxy_failed',
    `The proxy ${shown} opened no way to ${origin} within ${TUNNEL_MS / 1000} seconds.`,
  );
}

/** RFC 9110, section 9.3.6. Node reads the answer, and gives the socket back with what came after it. */
async function askHttp(socket: Socket, proxy: Proxy, { host, port, origin }: Destination): Promise<void> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { status, headers, head } = await new Promise<{
    status: number;
    headers: http.IncomingHttpHeaders;
    head: Buffer;
  }>((resolve, reject) => {
    const request = http.request({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        connection: 'keep-alive',
        'user-agent': 'weft',
        ...(proxy.user !== '' && { 'proxy-authorization': basic(proxy) }),
      },
      createConnection: () => socket,
    });
    request.once('connect', ({ statusCode = 0, headers: received }, _socket, first) =>
      resolve({ status: statusCode, headers: received, head: first }),
    );
    request.once('error', reject);
    // An answer without an end of its headers.
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    request.end();
  });
  // Some answer 401 to a wrong password.
  if (status === 407 || status === 401)
    throw notAccepted(
      proxy,
      [headers['proxy-authenticate'] ?? headers['www-authenticate']].flat().join(', '),
    );
  if (status >= 500)
    throw new WeftError(
      'outbound_failed',
      `The proxy ${proxy.shown} could not reach ${origin} (status ${status}).`,
    );
  if (status < 200 || status > 299) throw refusedBy(proxy, { port, origin }, `status ${status}`);
  if (/^text\/html\b/i.test(headers['content-type'] ?? ''))
    throw new WeftError(
      'proxy_failed',
      `The proxy ${proxy.shown} answered with a page, in place of a way to ${origin}. It may want somebody to sign in or to agree.`,
      { transient: false },
    );
  if (head.length > 0) socket.unshift(head);
}

function basic({ user, password }: Proxy): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
