import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import fastify, {
  type FastifyInstance,
  type FastifyHttpOptions,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { createBodyBudget } from './http/body-budget.ts';
import { readBody } from './http/read-body.ts';
import { answerClientError, rawAnswer } from './http/client-error.ts';
import type { Context } from './routes/context.ts';
import { handleError } from './http/error-handler.ts';
import {
  type AddressCheck,
  addPlatformHooks,
  createAddressCheck,
  createRequestIds,
} from './http/platform.ts';
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
    /** Set once the server is to stop; `/readyz` says so. */
    readonly lifecycle: { draining: boolean };
  }
}

/** The whole HTTP server over its parts, ready to listen (or for `inject`), but not listening. */
export async function buildApp(ctx: Context): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify(serverOptions(ctx));
  app.log = ctx.log;
  answerOddities(app);
  app.decorate('lifecycle', { draining: false });
  app.decorate('redactor', ctx.redactor);
  app.setErrorHandler(handleError);
  app.removeAllContentTypeParsers();
  app.decorate('bodyBudget', createBodyBudget(ctx.config.bodyBudget));
  app.addContentTypeParser(jsonMediaType, readJson);
  const addressProblem = createAddressCheck(ctx.config);
  addPlatformHooks(app, addressProblem);
  keepOriginsApart(app, ctx.config);
  guardRoutes(app, ctx);
  await registerRoutes(app, ctx);
  const connections = createConnections(ctx.config);
  if (ctx.config.editor === 'on') attachSockets(app, ctx, addressProblem, connections);
  await app.ready();
  if (answersDirectly(ctx)) openFrontDoor(app, ctx, addressProblem);
  connections.guard(app.server);
  return app;
}

/** Nobody waits for the body of a request that leads nowhere. */
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
    // Clients that always name a type of body send none with it.
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

const seconds = 1000;

function serverOptions(ctx: Context): FastifyHttpOptions<Server> {
  const hasSockets = ctx.config.editor === 'on';
  return {
    // With a logger of its own Fastify listens to the end of every request and makes a child for each; our log is handed to
    // requests as it is, and what is logged names the request id itself.
    logger: false,
    childLoggerFactory: () => ctx.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIds(),
    bodyLimit: ctx.config.bodyLimit,
    trustProxy: ctx.config.trustProxy ? trustNeighbour : false,
    requestTimeout: 60 * seconds,
    keepAliveTimeout: 72 * seconds,
    // While stopping, requests on open connections are answered as usual: `/readyz` and triggers say that we drain.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256 },
    clientErrorHandler: answerClientError,
    // Errors of the router; only the types of HTTP/2 stand between this handler and theirs.
    frameworkErrors: (error, request, reply) =>
      handleError(error, request as FastifyRequest, reply as FastifyReply),
    http: {
      maxHeaderSize: 16 * 1024,
      headersTimeout: 15 * seconds,
      connectionsCheckingInterval: 5 * seconds,
      // A missing Host is answered by us, in the usual form.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      // Others, like an offer of HTTP/2, are plain requests.
      shouldUpgradeCallback: ({ headers }) => hasSockets && headers.upgrade?.toLowerCase() === 'websocket',
    },
  };
}

/** With WEFT_TRUST_PROXY the program at the other end of the connection is the proxy; what it forwards was told by strangers. */
function trustNeighbour(_address: string, hop: number): boolean {
  return hop === 0;
}

/** Two things of HTTP that Node answers by itself, with an empty body or none at all. */
function answerOddities(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => socket.end(rawAnswer('method_not_allowed')));
}

/** Before the framework's own listener, which gets what the front door leaves. */
function openFrontDoor(app: FastifyInstance, ctx: Context, addressProblem: AddressCheck): void {
  const { server } = app;
  const enter = createFrontDoor(ctx, triggerPrefix, addressProblem);
  const [framework] = server.listeners('request') as ((req: IncomingMessage, res: ServerResponse) => void)[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (app.lifecycle.draining || !enter(request, response)) framework?.(request, response);
  });
}

/** Upgrades do not pass Fastify's hooks, so what they check is asked for here. */
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
