import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createNetServer, type Socket } from 'node:net';
import type { Config } from '../../base/config/config.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { answerClientError, rawAnswer } from './client-error.ts';
import { createServer } from '../../base/process/node-http.ts';
import { endStalled } from './unread-answers.ts';

const seconds = 1000;

/**
 * The HTTP server below the framework: the limits of connections, and the answers to malformed requests. `sockets`:
 * whether it serves websockets.
 */
export function openHttpServer(sockets: boolean): Server {
  const server = createServer({
    requestTimeout: 60 * seconds,
    keepAliveTimeout: 72 * seconds,
    maxHeaderSize: 16 * 1024,
    headersTimeout: 15 * seconds,
    connectionsCheckingInterval: 5 * seconds,
    // A missing Host gets our own answer, in the usual form.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    // Others, like an offer of HTTP/2, are plain requests.
    shouldUpgradeCallback: ({ headers }) => sockets && headers.upgrade?.toLowerCase() === 'websocket',
  });
  server.on('clientError', answerClientError);
  endStalled(server);
  followSockets(server);
  server.on('checkContinue', continueWhenRead);
  // Two cases that Node answers by itself, with an empty body or none at all.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => {
    // Node has removed its listener.
    socket.on('error', () => socket.destroy());
    socket.end(rawAnswer('method_not_allowed'));
  });
  return server;
}

/**
 * A client with `Expect: 100-continue` sends its body only once it is read: a request that is refused by its headers gets its
 * answer at once. Its connection then ends, because the client may or may not send the body.
 */
function continueWhenRead(this: Server, request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  const read = request._read.bind(request);
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) {
      response.shouldKeepAlive = true;
      response.writeContinue();
    }
    read(size);
  };
  this.emit('request', request, response);
}

/**
 * Listens, and returns the port, which differs if `port` is 0. Throws a `StartError` for errors that the person at the terminal
 * can fix; `by` names how host and port are set.
 */
export async function listen(
  server: Server,
  { host, port }: Pick<Config, 'host' | 'port'>,
  by = { host: 'WEFT_HOST', port: 'WEFT_PORT' },
): Promise<number> {
  try {
    // `localhost` would be two sockets, and only one of them gets our handlers for malformed requests.
    server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const failures: Readonly<Record<string, string>> = {
      EADDRINUSE: `Port ${port} on ${host} is taken. Stop what uses it, or choose another with ${by.port} (0 picks a free one).`,
      EACCES: `This user may not listen on port ${port}. Choose one above 1023 with ${by.port}.`,
      EADDRNOTAVAIL: `This machine has no address ${host}. Choose another with ${by.host}.`,
      ENOTFOUND: `The host name ${host} is unknown. Choose another with ${by.host}.`,
    };
    throw new StartError(failures[code] ?? `Cannot listen on ${host}:${port} (${code}).`);
  }
  return (server.address() as { port: number }).port;
}

/**
 * Listens at a port of this process alone, where several processes share a port, so that other servers reach exactly this one.
 * Connections go to the one server, so all its limits apply.
 */
export async function listenAlone(
  http: Server,
  { host }: Pick<Config, 'host'>,
): Promise<{ readonly port: number; close(): void }> {
  const server = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    http.emit('connection', socket),
  );
  server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port: 0, exclusive: true });
  await once(server, 'listening');
  return { port: (server.address() as { port: number }).port, close: () => void server.close() };
}

const open = new WeakMap<Server, Set<Socket>>();

function followSockets(server: Server): void {
  const sockets = new Set<Socket>();
  open.set(server, sockets);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
}

/** Milliseconds in which a connection may still send its first request after the server has stopped accepting others. */
const SILENT_MS = 100;

/** How long to accept connections that arrive one after the other, in milliseconds. */
const MOST_ARRIVALS_MS = 1000;

/** Stops accepting connections, and waits for the answers in progress; harmless if it never listened. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await untilNoneArrives(server);
  server.close();
  const late = setTimeout(endSilent, SILENT_MS, server);
  await once(server, 'close');
  clearTimeout(late);
}

/** Node closes connections that wait for another request, but not those that clients open in advance, for a first one. */
function endSilent(server: Server): void {
  for (const socket of open.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

/**
 * The system resets connections that it accepted and the server did not when the server stops listening: a load balancer that sent a
 * request there cannot know whether it was executed. So the server stops after a turn in which none came.
 */
async function untilNoneArrives(server: Server): Promise<void> {
  let arrived = true;
  const note = (): void => void (arrived = true);
  server.on('connection', note);
  const end = performance.now() + MOST_ARRIVALS_MS;
  // The first one may end before the system is asked for connections; those after it begin with that.
  await new Promise((turn) => setImmediate(turn));
  while (arrived && performance.now() < end) {
    arrived = false;
    await new Promise((turn) => setImmediate(turn));
  }
  server.off('connection', note);
}
