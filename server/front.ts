import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { errorTable } from '#shared/errors.ts';
import { lazy } from './base/parts/lazy.ts';
import { rawAnswer } from './access/http/client-error.ts';
import { errorBody } from './access/http/envelope.ts';
import { closeServer, openHttpServer } from './access/http/http-server.ts';
import { createAddressCheck } from './access/http/platform.ts';
import { inTurn } from './access/http/unread-answers.ts';
import type { Context } from './api/routes/context.ts';
import { createConnections } from './access/security/connections.ts';
import { answersDirectly, createFrontDoor } from './api/triggers/front-door.ts';

/** How a server stops: it serves everything while it is leaving, and starts nothing while it is draining. */
interface Lifecycle {
  leaving: boolean;
  draining: boolean;
}

/** The server's HTTP: the door for the common trigger call, and behind it the framework with all routes. */
export interface Front {
  readonly server: Server;
  /** `/readyz` reports both. */
  readonly lifecycle: Lifecycle;
  /** The framework, loaded for the first request that the door leaves to it (docs/decisions/0029-quick-start.md). */
  app(): Promise<FastifyInstance>;
  /** Closes the connections, after the answers in progress. */
  close(): Promise<void>;
}

/** Opens the front, ready to listen. Where all requests need the framework, it is loaded at once. */
export async function openFront(ctx: Context): Promise<Front> {
  const { config, log } = ctx;
  const server = openHttpServer(config.editor === 'on' || ctx.servers !== undefined);
  const lifecycle = { leaving: false, draining: false };
  const addressProblem = createAddressCheck(config);
  const connections = createConnections(config);
  const upgrades = new EventEmitter();
  let listener: RequestListener | undefined;

  async function load(): Promise<FastifyInstance> {
    const { buildApp } = await import('./app.ts');
    let taken: RequestListener | undefined;
    const take = (given: RequestListener): void => void (taken = given);
    const app = await buildApp(ctx, { server, take, upgrades, lifecycle, addressProblem, connections });
    listener = taken;
    return app;
  }
  const app = lazy(load);

  const framework: RequestListener = (request, response) => {
    if (listener) listener(request, response);
    else
      app().then(
        () => listener?.(request, response),
        (err: unknown) => failed(log, err, () => refuse(response)),
      );
  };
  const isDirect = answersDirectly(config);
  const isOpen = (): boolean => isDirect && !lifecycle.draining;
  const passing =
    ctx.processes && (await import('./api/processes/passing.ts')).createPassing(ctx, ctx.processes);
  const enter = createFrontDoor(ctx, { addressProblem, isOpen, framework });
  const answer: RequestListener = (request, response) => {
    // A client that keeps connections open (a load balancer) opens the next one to another server.
    if (lifecycle.leaving) response.shouldKeepAlive = false;
    if (passing === undefined || !passing.takes(request, response)) enter(request, response);
  };
  server.on('request', inTurn(answer));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (passing?.takesUpgrade(request, socket, head) === true) return;
    // Without another listener, an unhandled error would end the process.
    const ignore = (): void => {};
    socket.on('error', ignore);
    app().then(
      () => {
        upgrades.emit('upgrade', request, socket, head);
        socket.off('error', ignore);
      },
      (err: unknown) => failed(log, err, () => socket.end(rawAnswer('internal'))),
    );
  });
  connections.guard(server);
  if (!isDirect) await app();
  return {
    server,
    lifecycle,
    app,
    async close() {
      // A framework that could not be loaded has nothing to close; its error was logged.
      const loaded = await app.loading?.catch(() => undefined);
      await (loaded ? loaded.close() : closeServer(server));
    },
  };
}

/** The framework cannot be loaded: a bug, or a damaged installation. */
function failed(log: Context['log'], err: unknown, answer: () => void): void {
  log.error({ err }, 'The routes could not be loaded.');
  answer();
}

function refuse(response: ServerResponse): void {
  const { status, meaning } = errorTable.internal;
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(errorBody('internal', meaning)));
}
