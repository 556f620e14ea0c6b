import type { Access } from './access.ts';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify';
import type { RouteScope } from './scopes.ts';

/** One route as it was declared. */
export interface RouteEntry {
  readonly method: string;
  readonly url: string;
  readonly scope: RouteScope;
  readonly config: FastifyContextConfig;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route with its scope, in the order of declaration. */
    readonly routeTable: readonly RouteEntry[];
  }
}

/**
 * Makes every route declare a scope and protects those that need credentials. The check is a hook of the route, so
 * that open routes and triggers pay nothing for it, and it runs before a body is read.
 */
export function guardRoutes(app: FastifyInstance, { access }: { readonly access: Access }): void {
  const table: RouteEntry[] = [];
  app.decorate('routeTable', table);
  app.addHook('onRoute', (route) => {
    const { url, config = {} } = route;
    const scope = scopeOf(route);
    for (const method of [route.method].flat()) table.push({ method, url, scope, config });
    if (scope === 'public' || scope === 'trigger-auth') return;
    route.onRequest = [requireScope(access, scope), ...[route.onRequest ?? []].flat()];
  });
}

/** The preflight route of @fastify/cors is the only one that others declare. */
function scopeOf(route: RouteOptions): RouteScope {
  const isPreflight = route.method === 'OPTIONS' && route.url === '*';
  const scope = isPreflight ? 'public' : route.config?.scope;
  if (scope === undefined)
    throw new Error(`The route ${String(route.method)} ${route.url} declares no scope.`);
  return scope;
}

function requireScope(access: Access, scope: Exclude<RouteScope, 'public' | 'trigger-auth'>) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    // Protected content is not for caches; a route that knows better says so.
    reply.header('cache-control', 'no-store');
    try {
      access.require(request, scope);
      done();
    } catch (error) {
      done(error as Error);
    }
  };
}
