import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Connections, createConnections } from './connections.ts';

/** A connection that never existed, from an address that this machine does not have. */
class FakeSocket extends Socket {
  sent = '';
  override readonly remoteAddress: string | undefined;

  constructor(address: string | undefined) {
    super();
    this.remoteAddress = address;
  }

  override end(text?: unknown): this {
    if (typeof text === 'string') this.sent += text;
    this.destroy();
    return this;
  }
}

function bed(maxConnections: number) {
  const server = createServer();
  const arrived: FakeSocket[] = [];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => arrived.push(socket as FakeSocket));
  const connections = createConnections({ maxConnections, trustProxy: false });
  connections.guard(server);
  const connect = (address: string | undefined): FakeSocket => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
    return socket;
  };
  return { connections, connect, isLet: (socket: FakeSocket) => arrived.includes(socket) };
}

const upgradeOf = (socket: FakeSocket): IncomingMessage =>
  ({ headers: {}, socket }) as unknown as IncomingMessage;
const refusalOf = (connections: Connections, socket: FakeSocket) =>
  connections.becomeSocket(upgradeOf(socket))?.code;

test('an address has so many connections at once, whatever others have, and again when one was closed', async () => {
  const { connect, isLet } = bed(2);
  const [first, second, third] = [1, 2, 3].map(() => connect('203.0.113.7')) as [
    FakeSocket,
    FakeSocket,
    FakeSocket,
  ];
  expect([first, second, third].map(isLet)).toEqual([true, true, false]);
  expect(third.sent).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After: \d+[\s\S]*too_many_connections/);
  expect(isLet(connect('203.0.113.8'))).toBe(true);
  first.destroy();
  await once(first, 'close');
  expect([1, 2].map(() => isLet(connect('::ffff:203.0.113.7')))).toEqual([true, false]);
});

test('an IPv6 network counts as one, this machine and Unix sockets not at all', () => {
  const { connect, isLet } = bed(1);
  expect(['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((at) => isLet(connect(at)))).toEqual([
    true,
    false,
    true,
  ]);
  const own = [
    '127.0.0.1',
    '127.0.0.1',
    '::1',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:127.0.0.1',
    undefined,
    undefined,
  ];
  expect(own.map((at) => isLet(connect(at)))).toEqual(own.map(() => true));
});

test('a websocket leaves its place to others, and has a limit of its own', async () => {
  const { connections, connect, isLet } = bed(1);
  const first = connect('203.0.113.7');
  expect([1, 2].map(() => refusalOf(connections, first))).toEqual([undefined, undefined]);
  const second = connect('203.0.113.7');
  expect([isLet(second), refusalOf(connections, second)]).toEqual([true, 'too_many_connections']);
  first.destroy();
  await once(first, 'close');
  expect(refusalOf(connections, second)).toBeUndefined();
});

test('behind a trusted proxy the requests of each client count that are under way', async () => {
  const server = createServer((request, response) => {
    if (request.url !== '/wait') response.end();
  });
  createConnections({ maxConnections: 1, trustProxy: true }).guard(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ask = (path: string, from: string) =>
    httpRequest({
      port,
      host: '127.0.0.1',
      path,
      headers: { 'x-forwarded-for': `192.0.2.9, ${from}` },
    }).end();
  const statusOf = async (path: string, from: string): Promise<unknown> => {
    const [response] = (await once(ask(path, from), 'response')) as [IncomingMessage];
    response.resume();
    return [response.statusCode, response.headers['retry-after']];
  };
  const waiting = ask('/wait', '203.0.113.7');
  waiting.on('error', () => {});
  await once(server, 'request');
  expect(await statusOf('/', '203.0.113.7')).toEqual([503, '5']);
  expect(await statusOf('/', '203.0.113.8')).toEqual([200, undefined]);
  waiting.destroy();
  await expect.poll(() => statusOf('/', '203.0.113.7')).toEqual([200, undefined]);
});
