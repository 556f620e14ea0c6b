import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from '../../http/read-body.ts';
import type { Context } from '../context.ts';
import type { RouteScope } from '../../security/scopes.ts';
import type { Handlers } from './handlers.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What answers each route; the work behind them is loaded with the first request. */
const routes: readonly [Method, string, RouteScope, keyof Handlers][] = [
  ['GET', '/test_auth', 'flows:read', 'testAuth'],
  ['GET', '/nodes', 'flows:read', 'nodes'],
  ['GET', '/flows', 'flows:read', 'list'],
  ['GET', '/chat/flows', 'flows:read', 'listChat'],
  ['GET', '/flows/:uid', 'flows:read', 'get'],
  ['POST', '/flows', 'flows:write', 'create'],
  ['PUT', '/flows/:uid', 'flows:write', 'update'],
  ['DELETE', '/flows/:uid', 'flows:write', 'remove'],
  ['GET', '/flow/export/:uid', 'flows:read', 'exportFile'],
  ['POST', '/flow/import', 'flows:write', 'importFile'],
];

/**
 * The original's flows API, at both of its addresses: its shapes in and out, our rules (a key for everything, proper statuses,
 * the one error body).
 */
export default async function awelRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  let handlers: Promise<Handlers> | undefined;
  const load = (): Promise<Handlers> => {
    handlers ??= import('./handlers.ts').then(({ createHandlers }) => createHandlers(ctx));
    return handlers;
  };
  app.addContentTypeParser(/^multipart\/form-data/i, (request, _payload, done) =>
    readBody(request, request.routeOptions.bodyLimit, done),
  );
  for (const prefix of ['/api/v2/serve/awel', '/api/v1/serve/awel']) {
    app.get(`${prefix}/health`, { config: { scope: 'public' } }, () => ({ status: 'ok' }));
    for (const [method, path, scope, name] of routes) {
      const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
        (await load())[name](request, reply);
      app.route({ method, url: `${prefix}${path}`, config: { scope }, handler });
    }
  }
}
