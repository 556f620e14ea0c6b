import type { Scope } from '#shared/key.ts';

export { type Scope, scopes } from '#shared/key.ts';

/**
 * What a route asks of its caller. `public`: nothing. `session`: a browser session, a key is not enough.
 * `trigger-auth`: the route itself decides, since every trigger has its own setting.
 */
export type RouteScope = Scope | 'public' | 'session' | 'trigger-auth';

/** What keys from WEFT_API_KEYS, and the one made at the first start, may do. */
export const defaultKeyScopes: readonly Scope[] = [
  'chat',
  'apps:read',
  'apps:write',
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
