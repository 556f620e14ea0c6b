import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** What a proxy does with those who ask for a way. */
export type Behaviour =
  | 'pass'
  | 'refuse'
  | 'hang'
  /** It opens the way at `release`. */
  | 'hold'
  | 'close'
  | 'page'
  | 'garbage'
  | 'unreachable'
  /** It answers what is sent through it itself, in clear text. */
  | 'rewrite';

export interface StandInProxy {
  /** In the form of WEFT_PROXY. */
  readonly address: string;
  readonly port: number;
  /** The destinations that were asked for, as they were written. */
  readonly asked: string[];
  /** Where destinations lead, by `host:port`: a port of this machine. Others are not there. */
  readonly leads: Map<string, number>;
  /** The answer of the proxy from now on. */
  does: Behaviour;
  /** `user:password`, which it asks for. */
  wants: string | undefined;
  /** What it says that it asks for. */
  scheme: string;
  /** Opens the ways that were held, and holds no more; returns their sockets. */
  readonly release: () => Duplex[];
  /** Everything that clients sent to it before it opened a way. */
  readonly heard: () => string;
}

interface Options {
  readonly protocol?: 'http' | 'https' | 'socks5';
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Whether it connects to whatever it is asked for, like one that has no rules. */
  readonly isOpen?: boolean;
}

/** A proxy on this machine in front of a network that exists in the test alone; it ends with the test. */
export async function startStandInProxy(options: Options = {}): Promise<StandInProxy> {
  const { protocol = 'http', certificate, isOpen = false } = options;
  let heard = '';
  const sockets = new Set<Duplex>();
  const held: { readonly socket: Duplex; readonly open: () => void }[] = [];
  const proxy = { does: 'pass' as Behaviour, wants: undefined, scheme: 'Basic realm="stand-in"' };
  const asked: string[] = [];
  const leads = new Map<string, number>();
  const server: Server =
    protocol === 'socks5'
      ? createTcpServer((socket) => void serveSocks(socket).catch(() => socket.destroy()))
      : protocol === 'https'
        ? createSecureServer(certificate ?? {})
        : createServer();
  server.on('connection', keep);
  server.on('secureConnection', keep);
  server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    keep(socket);
    heard += `${request.url}\n${request.rawHeaders.join('\n')}\n`;
    serveHttp(request, socket, head);
  });

  function keep(socket: Duplex): void {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  }

  function serveHttp(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const authority = request.url ?? '';
    asked.push(authority);
    const given = /^Basic (.*)$/.exec(request.headers['proxy-authorization'] ?? '')?.[1] ?? '';
    if (made.wants !== undefined && Buffer.from(given, 'base64').toString() !== made.wants) {
      socket.end(
        `HTTP/1.1 407 No\r\nproxy-authenticate: ${made.scheme}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      return;
    }
    if (made.does === 'hang') return;
    if (made.does === 'close') return void socket.destroy();
    if (made.does === 'garbage') return void socket.end('SSH-2.0-no-proxy\r\n');
    if (made.does === 'refuse') return void socket.end(page(403, 'Not allowed here'));
    if (made.does === 'page') return void socket.end(page(200, 'Please agree to the terms'));
    if (made.does === 'rewrite') {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      return answerItself(socket);
    }
    const to = placeOf(authority);
    if (to === undefined) return void socket.end(page(502, 'No such host'));
    const open = (): void => {
      const far = connect(to, () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
      join(socket, far, head);
    };
    if (made.does === 'hold') held.push({ socket, open });
    else open();
  }

  async function serveSocks(socket: Socket): Promise<void> {
    const next = reader(socket);
    const [, count = 0] = await next(2);
    const methods = await next(count);
    if (made.does === 'hang') return;
    if (made.does === 'close') return void socket.destroy();
    if (made.does === 'garbage') return void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    const wanted = made.wants === undefined ? 0 : 2;
    if (!methods.includes(wanted)) return void socket.end(Buffer.from([5, 255]));
    socket.write(Buffer.from([5, wanted]));
    if (made.wants !== undefined) {
      const [, userLength = 0] = await next(2);
      const user = (await next(userLength)).toString();
      const [passwordLength = 0] = await next(1);
      const given = `${user}:${(await next(passwordLength)).toString()}`;
      heard += `${given}\n`;
      socket.write(Buffer.from([1, given === made.wants ? 0 : 1]));
      if (given !== made.wants) return void socket.end();
    }
    const [, , , kind] = await next(4);
    const host =
      kind === 1
        ? (await next(4)).join('.')
        : kind === 4
          ? `[${(await next(16)).toString('hex').match(/.{4}/g)?.join(':')}]`
          : (await next((await next(1))[0] ?? 0)).toString();
    const authority = `${host}:${(await next(2)).readUInt16BE()}`;
    asked.push(authority);
    const reply = (code: number): Buffer => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
    if (made.does === 'refuse') return void socket.end(reply(2));
    if (made.does === 'rewrite') {
      socket.write(reply(0));
      return answerItself(socket);
    }
    const to = placeOf(authority);
    if (to === undefined) return void socket.end(reply(4));
    const far = connect(to);
    keep(far);
    // The first words of the other side come in one packet with the answer.
    await setTimeout(20);
    socket.write(Buffer.concat([reply(0), (far.read() as Buffer | null) ?? Buffer.alloc(0)]));
    join(socket, far, Buffer.alloc(0));
  }

  /** Where a destination leads. */
  function placeOf(authority: string): { host: string; port: number } | undefined {
    const known = leads.get(authority);
    if (made.does === 'unreachable') return undefined;
    if (known !== undefined) return { host: '127.0.0.1', port: known };
    const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(authority) ?? [];
    return isOpen ? { host, port: Number(port) } : undefined;
  }

  function join(near: Duplex, far: Socket, head: Buffer): void {
    keep(far);
    far.on('close', () => near.destroy()).on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    if (head.length > 0) far.write(head);
    near.pipe(far);
    far.pipe(near);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const made: StandInProxy = {
    ...proxy,
    address: `${protocol}://127.0.0.1:${port}`,
    port,
    asked,
    leads,
    release() {
      made.does = 'pass';
      const all = held.splice(0);
      for (const { open } of all) open();
      return all.map(({ socket }) => socket);
    },
    heard: () => heard,
  };
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return made;
}

function page(status: number, text: string): string {
  const body = `<html><body>${text}</body></html>`;
  return `HTTP/1.1 ${status} Said\r\ncontent-type: text/html\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function answerItself(socket: Duplex): void {
  socket.once('data', () => socket.end(page(200, 'rewritten')));
}

/** Reads so many bytes at a time. */
function reader(socket: Socket): (length: number) => Promise<Buffer> {
  return async (length) => {
    if (length === 0) return Buffer.alloc(0);
    for (;;) {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes !== null) return bytes;
      await new Promise<void>((resolve, reject) => {
        socket.once('readable', resolve);
        socket.once('close', () => reject(new Error('closed')));
      });
    }
  };
}
