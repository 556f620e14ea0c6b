import type { EventEmitter } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bareApp } from './access/http/bare-app.ts';
import { readBody } from './access/http/read-body.ts';
import type { Context } from './api/routes/context.ts';
import { type AddressCheck, addPlatformHooks } from './access/http/platform.ts';
import { isLargeJson, jsonMediaType, readJsonAhead, readJsonBody } from './access/http/read-json.ts';
import { registerRoutes } from './api/routes/register.ts';
import { attachRunSockets } from './execution/watching/sockets.ts';
import type { Connections } from './access/security/connections.ts';
import { ServiceError } from './base/errors/errors.ts';
import type { Caller } from './access/security/access.ts';
import type { AccessRequest } from './access/security/request.ts';
import { guardRoutes } from './access/security/guard.ts';
import { createOriginCheck, keepOriginsApart } from './access/http/trigger-origin.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** How far the server has stopped; `/readyz` reports it. */
    readonly lifecycle: AppPlace['lifecycle'];
  }
}

/** The source of the framework's requests, and the parts that it shares with the front door. */
export interface AppPlace {
  readonly server: Server;
  /** Accepts the framework's listener for requests. */
  readonly take: (listener: RequestListener) => void;
  /** Emits `upgrade`. */
  readonly upgrades: EventEmitter;
  readonly lifecycle: { readonly leaving: boolean; readonly draining: boolean };
  readonly addressProblem: AddressCheck;
  readonly connections: Connections;
}

/** All routes, ready for requests (or for `inject`). */
export async function buildApp(ctx: Context, place: AppPlace): Promise<FastifyInstance> {
  const { lifecycle, addressProblem } = place;
  const app = bareApp(ctx, place.server, place.take);
  app.decorate('lifecycle', lifecycle);
  app.addContentTypeParser(jsonMediaType, readJson);
  addPlatformHooks(app, addressProblem);
  keepOriginsApart(app, ctx.config);
  guardRoutes(app, ctx);
  reportPending(app, ctx);
  await registerRoutes(app, ctx);
  if (ctx.config.editor === 'on' || ctx.servers !== undefined) attachSockets(app, ctx, place);
  await app.ready();
  return app;
}

function readValue(body: Buffer, done: (error: Error | null, body?: unknown) => void): void {
  let value: unknown;
  try {
    value = readJsonBody(body);
  } catch (unreadable) {
    return done(unreadable as Error);
  }
  done(null, value);
}

/** Adds the names of servers that have not applied a change which this one made and waited for. */
function reportPending(app: FastifyInstance, { nodes }: Pick<Context, 'nodes'>): void {
  app.addHook('onSend', async ({ method, routeOptions }, reply) => {
    if (method === 'GET' || routeOptions.config.route === undefined) return;
    const pending = nodes.pending();
    if (pending.length > 0) reply.header('x-weft-pending', pending.join(', '));
  });
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
    else if (isLargeJson(body)) void readJsonAhead(body).then(() => readValue(body, done));
    else readValue(body, done);
  });
}

/** The caller, or the refusal of a key that has made too many requests. */
async function countUpgrade(
  app: FastifyInstance,
  asked: Promise<Caller | ServiceError>,
): Promise<Caller | ServiceError> {
  const caller = await asked;
  if (caller instanceof ServiceError) return caller;
  try {
    await app.rates.countKey(caller);
    return caller;
  } catch (error) {
    return error as ServiceError;
  }
}

/** A server without an editor answers only requests of other servers. */
function withoutEditor({ config, servers }: Context, request: AccessRequest): ServiceError | undefined {
  if (config.editor === 'on' || servers?.asks(request) === true) return undefined;
  return new ServiceError('not_found', 'There is no websocket at this address.');
}

/** Upgrades bypass Fastify's hooks, so their checks are repeated here. */
function attachSockets(
  app: FastifyInstance,
  ctx: Context,
  { upgrades, addressProblem, connections }: AppPlace,
): void {
  const originProblem = createOriginCheck(ctx.config);
  const sockets = attachRunSockets(
    upgrades,
    ctx,
    (request, scope) =>
      addressProblem(request) ??
      originProblem?.(request, undefined) ??
      withoutEditor(ctx, request) ??
      connections.becomeSocket(request) ??
      countUpgrade(app, ctx.access.authorizeUpgrade(request, scope)),
  );
  app.addHook('preClose', () => sockets.close());
}
