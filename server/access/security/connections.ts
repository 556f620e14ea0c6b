import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorTable } from '#shared/errors.ts';
import { rawAnswer } from '../http/client-error.ts';
import type { Config } from '../../base/config/config.ts';
import { errorBody } from '../http/envelope.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type ClientAddress, createClientAddress, networkOf } from './client-address.ts';
import { isLoopback } from '../../base/config/hosts.ts';

/**
 * Limits the connections of one client (WEFT_MAX_CONNECTIONS), so that no client uses all that the machine has.
 * CL1. Behind a trusted proxy the connections are the proxy's, so requests in progress count instead.
 * CL2. Websockets count separately: they stay open for days.
 * CL3. This machine and Unix sockets have no limit.
 */
export interface Connections {
  /** To be called once, after everything else that listens to the server has been set up. */
  guard(server: Server): void;
  /** Counts a connection among the websockets from now on; returns the refusal if its client has too many. */
  becomeSocket(request: IncomingMessage): ServiceError | undefined;
}

type Limits = Pick<Config, 'maxConnections' | 'trustProxy'>;

export function createConnections({ maxConnections, trustProxy }: Limits): Connections {
  const addressOf = createClientAddress(trustProxy);
  const plain = createCounter(maxConnections);
  const upgraded = createCounter(maxConnections);
  /** Functions that release the counted connections. */
  const counted = new WeakMap<object, () => void>();
  const websockets = new WeakSet<object>();

  /** Connections and answers both emit `close` once. */
  function count(it: Socket | ServerResponse, client: string | undefined): boolean {
    if (client === undefined) return true;
    if (!plain.take(client)) return false;
    const give = once(() => plain.give(client));
    counted.set(it, give);
    it.once('close', give);
    return true;
  }

  return {
    guard(server) {
      if (trustProxy) {
        between(server, 'request', (request: IncomingMessage, response: ServerResponse) => {
          if (count(response, clientOf(addressOf, request))) return true;
          refuse(response);
          return false;
        });
      } else {
        between(server, 'connection', (socket: Socket) => {
          if (count(socket, clientOf(addressOf, { headers: {}, socket }))) return true;
          // Without a listener, its error would end the process.
          socket.on('error', () => socket.destroy());
          socket.end(rawAnswer('too_many_connections'), () => socket.destroy());
          return false;
        });
      }
    },
    becomeSocket(request) {
      const { socket } = request;
      const client = clientOf(addressOf, request);
      if (client === undefined || websockets.has(socket)) return undefined;
      if (!upgraded.take(client)) return new ServiceError('too_many_connections');
      counted.get(socket)?.();
      websockets.add(socket);
      socket.once('close', () => upgraded.give(client));
      return undefined;
    },
  };
}

function clientOf(addressOf: ClientAddress, request: Parameters<ClientAddress>[0]): string | undefined {
  const address = addressOf(request);
  if (address === undefined) return undefined;
  const network = networkOf(address);
  return isLoopback(address) || isLoopback(network) ? undefined : network;
}

interface Counter {
  take(client: string): boolean;
  give(client: string): void;
}

function createCounter(limit: number): Counter {
  const open = new Map<string, number>();
  return {
    take(client) {
      const count = open.get(client) ?? 0;
      if (count >= limit) return false;
      open.set(client, count + 1);
      return true;
    },
    give(client) {
      const count = (open.get(client) ?? 0) - 1;
      if (count > 0) open.set(client, count);
      else open.delete(client);
    },
  };
}

/** Passes on only the events that `let` accepts. */
function between<A extends unknown[]>(server: Server, event: string, isLet: (...args: A) => boolean): void {
  const listeners = server.listeners(event) as ((...args: A) => void)[];
  server.removeAllListeners(event);
  server.on(event, (...args: A) => {
    if (isLet(...args)) for (const listener of listeners) listener.apply(server, args);
  });
}

function refuse(response: ServerResponse): void {
  const { status, meaning } = errorTable.too_many_connections;
  const headers = { 'content-type': 'application/json; charset=utf-8', 'retry-after': '5' };
  response.writeHead(status, headers).end(JSON.stringify(errorBody('too_many_connections', meaning)));
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}
