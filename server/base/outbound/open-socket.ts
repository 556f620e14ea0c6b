import net, { isIP, type LookupFunction, type Socket } from 'node:net';
import tls from 'node:tls';
import ipaddr from 'ipaddr.js';
import { WeftError } from '#engine';
import { before, type Deadline } from './deadline.ts';
import type { Target } from './target.ts';

/** The destination of a socket. */
type Place = Pick<Target, 'host' | 'port'>;

/**
 * A connected socket, whose peer is one of these addresses. An error without a listener closes it and does nothing else. When the
 * deadline passes first, it is closed.
 */
export async function openSocket(
  { host, port }: Place,
  addresses: readonly string[],
  deadline: Deadline,
): Promise<Socket> {
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
  return settled(socket, deadline, async () => {
    await once(socket, 'connect');
    checkPeer(socket, addresses);
    return socket;
  });
}

/** The same socket, encrypted; options as for Node's `tls.connect`. It is closed if that fails. */
export async function encrypted(
  socket: Socket,
  { host }: Pick<Place, 'host'>,
  options: tls.ConnectionOptions,
  deadline: Deadline,
): Promise<Socket> {
  return settled(socket, deadline, async () => {
    const name = isIP(host) === 0 ? { servername: host } : {};
    const secure = tls.connect({ ...name, ...options, host, socket }).on('error', closesAlone);
    await once(secure, 'secureConnect');
    return secure;
  });
}

/** Closes the socket if the work on it fails, or does not end in time. */
async function settled<T>(socket: Socket, deadline: Deadline, work: () => Promise<T>): Promise<T> {
  const give = (): void => void socket.destroy();
  deadline.signal.addEventListener('abort', give, { once: true });
  try {
    return await before(deadline, work());
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
    socket.once('close', () => reject(closed()));
  });
}

function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' });
}

/** The peer must be one of the checked addresses. */
function checkPeer(socket: Socket, addresses: readonly string[]): void {
  const peer = socket.remoteAddress;
  // It was reset in the turn in which it was opened.
  if (peer === undefined) throw closed();
  const same = (one: string): boolean =>
    ipaddr.isValid(one) &&
    ipaddr.process(one).toNormalizedString() === ipaddr.process(peer).toNormalizedString();
  if (!addresses.some(same))
    throw new WeftError('outbound_refused', 'The connection led to an address that was not checked.');
}

/** Replaces the look-up by name, which could return another result than the checked one. */
export function pinned(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, done) => {
    const [first] = known;
    if (options.all === true) done(null, known);
    else done(null, first?.address ?? '', first?.family);
  };
}
