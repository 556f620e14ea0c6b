import net, { isIP, type Socket } from 'node:net';
import tls from 'node:tls';
import ipaddr from 'ipaddr.js';
import { type Asker, WeftError, waitedFor } from '#engine';
import { createAllowList } from './allow-list.ts';
import { before, type Deadline, startDeadline } from './deadline.ts';
import { outboundError } from './failures.ts';
import type { Guard } from './guard.ts';
import type { GiveBack, Places } from './places.ts';
import { pinned } from './pools.ts';
import { parseTarget, type Target } from './target.ts';

/** The destination of a socket. */
export interface SocketAddress {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Encrypts from the first byte on; options as for Node's `tls.connect`. */
  readonly tls?: tls.ConnectionOptions | undefined;
}

export interface ConnectOptions {
  /** Milliseconds until it is connected, including the wait for a place. */
  readonly timeoutMs: number;
  /** As in `ProviderHttp`. */
  readonly near?: string | undefined;
  /**
   * Whether it cancels the work of another connection: it then needs no place and waits for none, because that connection may have
   * the last one.
   */
  readonly ends?: boolean | undefined;
}

/** Opens sockets for the drivers of the server's own parts. */
export interface Sockets {
  /**
   * A connected socket. Until it is closed it counts among the calls to its destination, `tcp://host:port`. An error
   * without a listener closes it and does nothing else. Throws like `send` of the client.
   */
  connect(to: SocketAddress, by: Asker, signal: AbortSignal, options: ConnectOptions): Promise<Socket>;
}

interface SocketDeps {
  readonly guard: Guard;
  readonly places: Places;
}

/** Opens sockets under the guarantees of `Outbound`. */
export function createSockets({ guard, places }: SocketDeps): Sockets['connect'] {
  return async (
    to: SocketAddress,
    by: Asker,
    signal: AbortSignal,
    { timeoutMs, near, ends = false }: ConnectOptions,
  ): Promise<Socket> => {
    const target = socketTarget(to);
    const deadline = startDeadline(timeoutMs, signal);
    let giveBack: GiveBack | undefined;
    try {
      const also = near === undefined ? undefined : createAllowList([near]);
      const addresses = await before(deadline, guard(target, also));
      if (!ends) giveBack = await placeFor(target, by, places, deadline);
      const socket = await opened(target, to, addresses, deadline);
      if (giveBack !== undefined) socket.once('close', giveBack);
      return socket;
    } catch (error) {
      giveBack?.();
      throw outboundError(error, target.origin, deadline);
    } finally {
      deadline.end();
    }
  };
}

/**
 * The destination in the spelling that is checked and connected to: the parser of addresses knows all notations, so a
 * number or a full-width digit means the same here as in a request.
 */
function socketTarget({ host, port }: SocketAddress): Target {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw invalid(`${port} is no port.`);
  if (host === '' || /[/?#@\\%[\]]/.test(host) || (host.includes(':') && isIP(host) !== 6))
    throw invalid(`${JSON.stringify(host.slice(0, 200))} is neither a name nor an address.`);
  const written = isIP(host) === 6 ? `[${host}]` : host;
  const target = parseTarget(`http://${written}:${port}/`);
  return { ...target, port, origin: `tcp://${target.url.hostname}:${port}` };
}

function invalid(message: string): WeftError {
  return new WeftError('outbound_invalid', message);
}

async function placeFor(target: Target, by: Asker, places: Places, { signal }: Deadline): Promise<GiveBack> {
  const taken = places.take(target, 'calls', by.flow, signal);
  if (typeof taken === 'function') return taken;
  const start = Date.now();
  try {
    return await taken;
  } finally {
    waitedFor(by, { for: `a connection to ${target.origin}`, ms: Date.now() - start });
  }
}

async function opened(
  target: Target,
  { tls: secure }: SocketAddress,
  addresses: readonly string[],
  deadline: Deadline,
): Promise<Socket> {
  const { host, port } = target;
  const socket = net
    .connect({
      host,
      port,
      lookup: pinned(addresses),
      autoSelectFamily: true,
      noDelay: true,
      keepAlive: true,
    })
    .on('error', closesAlone);
  const give = (): void => void socket.destroy();
  deadline.signal.addEventListener('abort', give, { once: true });
  try {
    await before(deadline, once(socket, 'connect'));
    checkPeer(socket, addresses);
    if (secure === undefined) return socket;
    const name = isIP(host) === 0 ? { servername: host } : {};
    const encrypted = tls.connect({ ...name, ...secure, host, socket }).on('error', closesAlone);
    await before(deadline, once(encrypted, 'secureConnect'));
    return encrypted;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    deadline.signal.removeEventListener('abort', give);
  }
}

/** Drivers remove their listeners, or add them late; without any, an error would end the process. */
function closesAlone(): void {}

function once(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      socket.off('error', reject);
      resolve();
    };
    socket.once(event, done);
    socket.once('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
}

/** The peer must be one of the checked addresses. */
function checkPeer(socket: Socket, addresses: readonly string[]): void {
  const peer = socket.remoteAddress;
  const same = (one: string): boolean =>
    peer !== undefined &&
    ipaddr.isValid(one) &&
    ipaddr.process(one).toNormalizedString() === ipaddr.process(peer).toNormalizedString();
  if (!addresses.some(same))
    throw new WeftError('outbound_refused', 'The connection led to an address that was not checked.');
}
