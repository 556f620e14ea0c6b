import type { Access } from './access.ts';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify';
import type { RateHeaders } from '../../base/rates/call-rates.ts';
import type { RouteScope } from './scopes.ts';

/** A declared route. */
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
 * that triggers pay nothing for it, and it runs before a body is read.
 */
export function guardRoutes(app: FastifyInstance, { access }: { readonly access: Access }): void {
  const table: RouteEntry[] = [];
  app.decorate('routeTable', table);
  app.addHook('onRoute', (route) => {
    const { url, config = {} } = route;
    const scope = scopeOf(route);
    for (const method of [route.method].flat()) table.push({ method, url, scope, config });
    if (scope === 'trigger-auth') return;
    const check = scope === 'public' ? lookUp(access) : requireScope(access, scope);
    route.onRequest = [check, ...[route.onRequest ?? []].flat()];
  });
}

/** The preflight route of @fastify/cors is the only one that a plugin declares. */
function scopeOf(route: RouteOptions): RouteScope {
  const isPreflight = route.method === 'OPTIONS' && route.url === '*';
  const scope = isPreflight ? 'public' : route.config?.scope;
  if (scope === undefined)
    throw new Error(`The route ${String(route.method)} ${route.url} declares no scope.`);
  return scope;
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

function requireScope(access: Access, scope: Exclude<RouteScope, 'public' | 'trigger-auth'>): Hook {
  return (request, reply, done) => {
    // Protected content is not for caches, unless a route decides otherwise.
    reply.header('cache-control', 'no-store');
    const check = (): void => {
      try {
        const caller = access.require(request, scope);
        const counted = request.server.rates.countKey(caller);
        if (counted instanceof Promise) {
          counted.then((headers) => addRateHeaders(reply, headers)).then(() => done(), done);
          return;
        }
        addRateHeaders(reply, counted);
        done();
      } catch (error) {
        done(error as Error);
      }
    };
    const looking = access.ready(request);
    if (looking === undefined) check();
    else looking.then(check, done);
  };
}

/** Finds the caller of an open route, which answers a caller without credentials as a stranger. */
function lookUp(access: Access): Hook {
  return (request, _reply, done) => {
    const looking = access.ready(request);
    if (looking === undefined) done();
    else
      looking.then(
        () => done(),
        () => done(),
      );
  };
}

/** Adds to existing headers: an answer may fall under several limits. */
export function addRateHeaders(reply: FastifyReply, headers: RateHeaders | undefined): void {
  for (const [name, value] of Object.entries(headers ?? {})) {
    const other = reply.getHeader(name);
    reply.header(name, other === undefined ? value : `${String(other)}, ${value}`);
  }
}
