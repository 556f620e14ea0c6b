import { isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { WeftError } from '#engine';
import { type Destination, notAccepted, refusedBy } from './failures.ts';
import type { Proxy } from './proxy.ts';

const VERSION = 5;
const NO_AUTH = 0;
const PASSWORD = 2;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

/** Answers to a request (RFC 1928, section 6) that mean that the proxy tried. */
const UNREACHED: Readonly<Record<number, string>> = {
  1: 'a general failure',
  3: 'the network is unreachable',
  4: 'the host is unreachable',
  5: 'the connection is refused',
  6: 'the way is too long',
};

/**
 * Asks a SOCKS5 proxy (RFC 1928, RFC 1929) for a way. Reads not one byte more than its answers, because the next ones are the
 * destination's.
 */
export async function askSocks(socket: Socket, proxy: Proxy, to: Destination): Promise<void> {
  await greet(socket, proxy);
  socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(to)]));
  const [, reply = -1, , kind] = await take(socket, 4);
  if (reply !== 0) {
    const meaning = UNREACHED[reply];
    if (meaning === undefined) throw refusedBy(proxy, to, `answer ${reply} of SOCKS`);
    throw new WeftError(
      'outbound_failed',
      `The proxy ${proxy.shown} could not reach ${to.origin}: ${meaning}.`,
    );
  }
  // The address at which it connects for us, which nobody needs.
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : (await take(socket, 1))[0];
  await take(socket, (length ?? 0) + 2);
}

/** Agrees on how to sign in, and does it. */
async function greet(socket: Socket, proxy: Proxy): Promise<void> {
  const [user, password] = [Buffer.from(proxy.user), Buffer.from(proxy.password)];
  if (user.length > 255 || password.length > 255) throw notAccepted(proxy, '');
  const methods = user.length === 0 ? [NO_AUTH] : [NO_AUTH, PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await take(socket, 2);
  if (version !== VERSION)
    throw new WeftError('proxy_failed', `${proxy.shown} is no SOCKS5 proxy.`, { transient: false });
  if (method === NO_AUTH) return;
  if (method !== PASSWORD || user.length === 0) throw notAccepted(proxy, '');
  const given = [Buffer.from([1, user.length]), user, Buffer.from([password.length]), password];
  socket.write(Buffer.concat(given));
  const [, status] = await take(socket, 2);
  if (status !== 0) throw notAccepted(proxy, '');
}

function addressOf({ host, port }: Destination): Buffer {
  const ending = Buffer.from([port >> 8, port & 0xff]);
  if (isIP(host) === 0) {
    const name = Buffer.from(host);
    return Buffer.concat([Buffer.from([NAME, name.length]), name, ending]);
  }
  const bytes = ipaddr.parse(host).toByteArray();
  return Buffer.from([bytes.length === 4 ? IPV4 : IPV6, ...bytes, ...ending]);
}

/** So many bytes; those after them stay in the socket. */
function take(socket: Socket, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes === null) return;
      stop();
      if (bytes.length === length) resolve(bytes);
      else closed();
    };
    const closed = (): void => {
      stop();
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    };
    const failed = (error: Error): void => {
      stop();
      reject(error);
    };
    const stop = (): void => {
      socket.off('readable', look).off('end', closed).off('close', closed).off('error', failed);
    };
    socket.on('readable', look).on('end', closed).on('close', closed).on('error', failed);
    look();
  });
}
