import { isIP, type Socket } from 'node:net';
import type tls from 'node:tls';
import { type Asker, WeftError, waitedFor } from '#engine';
import { createAllowList } from './allow-list.ts';
import { before, type Deadline, startDeadline } from './deadline.ts';
import { outboundError } from './failures.ts';
import type { Guard, Way } from './guard.ts';
import { encrypted, openSocket } from './open-socket.ts';
import type { GiveBack, Places } from './places.ts';
import type { OwnProxy } from './proxy.ts';
import { parseTarget, type Target } from './target.ts';
import type { Tunnel } from './tunnels.ts';

/** The destination of a socket. */
export interface SocketAddress {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Encrypts from the first byte on; options as for Node's `tls.connect`. */
  readonly tls?: tls.ConnectionOptions | undefined;
}

/** How a connection is opened. */
export interface ConnectOptions {
  /** Milliseconds until it is connected, including the wait for a place. */
  readonly timeoutMs: number;
  /** As in `Reach`. */
  readonly near?: string | undefined;
  readonly proxy?: OwnProxy;
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
  readonly tunnel: Tunnel;
}

/** Opens sockets under the guarantees of `Outbound`. */
export function createSockets({ guard, places, tunnel }: SocketDeps): Sockets['connect'] {
  return async (
    to: SocketAddress,
    by: Asker,
    signal: AbortSignal,
    { timeoutMs, near, proxy, ends = false }: ConnectOptions,
  ): Promise<Socket> => {
    const target = socketTarget(to);
    const deadline = startDeadline(timeoutMs, signal);
    let giveBack: GiveBack | undefined;
    let way: Way | undefined;
    try {
      const also = near === undefined ? undefined : createAllowList([near]);
      way = await before(deadline, guard(target, { near: also, proxy }));
      if (!ends) giveBack = await placeFor(target, by, places, deadline);
      const plain =
        way.proxy === undefined
          ? await openSocket(target, way.addresses, deadline)
          : await tunnel(target, { ...way, proxy: way.proxy }, deadline.signal);
      const socket = to.tls === undefined ? plain : await encrypted(plain, target, to.tls, deadline);
      if (giveBack !== undefined) socket.once('close', giveBack);
      return socket;
    } catch (error) {
      giveBack?.();
      throw outboundError(error, target.origin, deadline, way?.proxy);
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
