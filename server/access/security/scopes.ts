import type { Scope } from '#shared/scopes.ts';

export { type Scope, scopes } from '#shared/scopes.ts';

/**
 * The requirement of a route for its caller. `public`: none. `session`: a browser session, a key is not enough.
 * `trigger-auth`: the route itself decides, because every trigger has its own setting.
 */
export type RouteScope = Scope | 'public' | 'session' | 'trigger-auth';

/** The rights of keys from WEFT_API_KEYS, and of the one created at the first start. */
export const defaultKeyScopes: readonly Scope[] = [
  'chat',
  'apps:read',
  'apps:write',
  'knowledge:read',
  'knowledge:write',
  'triggers',
  'flows:read',
  'runs:read',
];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route declares one; `app.ts` refuses a route without it. */
    scope?: RouteScope;
  }
}
