import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A listener that must not be reached: it counts every connection and byte. */
export interface Victim {
  readonly port: number;
  /** Connections that were opened to it. */
  readonly reached: () => number;
}

/** Listens on every IPv4 and IPv6 address of this machine, and answers like a metadata service would. */
export async function startVictim(host?: string): Promise<Victim> {
  let reached = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    reached++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nsecret');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, reached: () => reached };
}

/** Another party's server, with one answer per test. */
export async function startSite(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host = '127.0.0.1',
): Promise<{ readonly url: string; readonly port: number }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}`, port };
}
