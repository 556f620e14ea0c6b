import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bareApp } from './http/bare-app.ts';
import { readBody } from './http/read-body.ts';
import type { Context } from './routes/context.ts';
import { type AddressCheck, addPlatformHooks, createAddressCheck } from './http/platform.ts';
import { jsonMediaType, readJsonBody } from './http/read-json.ts';
import { answersDirectly, registerRoutes } from './routes/register.ts';
import { attachRunSockets } from './watching/sockets.ts';
import { type Connections, createConnections } from './security/connections.ts';
import { guardRoutes } from './security/guard.ts';
import { createFrontDoor } from './triggers/front-door.ts';
import { createOriginCheck, keepOriginsApart } from './http/trigger-origin.ts';
import { triggerPrefix } from './triggers/routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** True once the server is stopping; `/readyz` reports it. */
    readonly lifecycle: { draining: boolean };
  }
}

/** The complete HTTP server, ready to listen (or for `inject`), but not listening. */
export async function buildApp(ctx: Context): Promise<FastifyInstance> {
  const hasSockets = ctx.config.editor === 'on';
  const app = bareApp(ctx, hasSockets);
  app.decorate('lifecycle', { draining: false });
  app.addContentTypeParser(jsonMediaType, readJson);
  const addressProblem = createAddressCheck(ctx.config);
  addPlatformHooks(app, addressProblem);
  keepOriginsApart(app, ctx.config);
  guardRoutes(app, ctx);
  await registerRoutes(app, ctx);
  const connections = createConnections(ctx.config);
  if (hasSockets) attachSockets(app, ctx, addressProblem, connections);
  await app.ready();
  if (answersDirectly(ctx)) openFrontDoor(app, ctx, addressProblem);
  connections.guard(app.server);
  return app;
}

/** The body of a request that matches no route is not read. */
function readJson(
  request: FastifyRequest,
  _payload: unknown,
  done: (error: Error | null, body?: unknown) => void,
): void {
  if (request.is404) {
    done(null);
    return;
  }
  readBody(request, request.routeOptions.bodyLimit, (error, body) => {
    // Some clients always send a content type, even without a body.
    const isNone = body?.length === 0 && request.method === 'DELETE';
    if (body === undefined || isNone) done(error);
    else {
      try {
        done(null, readJsonBody(body));
      } catch (unreadable) {
        done(unreadable as Error);
      }
    }
  });
}

/** Runs before the framework's own listener, which gets the requests that the front door does not answer. */
function openFrontDoor(app: FastifyInstance, ctx: Context, addressProblem: AddressCheck): void {
  const { server } = app;
  const enter = createFrontDoor(ctx, triggerPrefix, addressProblem);
  const [framework] = server.listeners('request') as ((req: IncomingMessage, res: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (app.lifecycle.draining || !enter(request, response)) framework?.(request, response);
  });
}

/** Upgrades bypass Fastify's hooks, so their checks are repeated here. */
function attachSockets(
  app: FastifyInstance,
  ctx: Context,
  addressProblem: AddressCheck,
  connections: Connections,
): void {
  const originProblem = createOriginCheck(ctx.config);
  const sockets = attachRunSockets(
    app.server,
    ctx,
    (request, scope) =>
      addressProblem(request) ??
      originProblem?.(request, undefined) ??
      connections.becomeSocket(request) ??
      ctx.access.authorizeUpgrade(request, scope),
  );
  app.addHook('preClose', () => sockets.close());
}
