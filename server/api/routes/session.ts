import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { scopes } from '#shared/scopes.ts';
import { signInAddress } from '../../access/security/sign-in.ts';
import { audit, SIGNED_IN } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { senderAddress } from '../../access/security/client-address.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { version } from '../../access/http/version.ts';
import { defineRoute } from './define-route.ts';

const SignInBody = z.object({ password: z.string().min(1).max(1024) });

const csrf = () =>
  z.string().describe('To be sent as `X-Weft-CSRF` with every request that changes something.');

/** The browser's session: its rights, signing in by password, signing in another browser, signing out. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/session',
    scope: 'session',
    tag: 'Platform',
    summary: 'Get the rights of the browser’s session, and its CSRF token.',
    answer: () =>
      z.object({
        csrf: csrf(),
        scopes: z.array(z.enum(scopes)),
        deploy: z.enum(['on-save', 'manual']),
        version: z.string(),
        triggerOrigin: z
          .string()
          .optional()
          .describe('Origin of triggers and wait pages, if they have their own.'),
        timezone: z.string().describe('Time zone of flows that set none (`WEFT_TIMEZONE`).'),
        lost: z
          .array(z.string())
          .describe(
            'Stores of the data folder that were missing, foreign, older or damaged at the start, each as a sentence.',
          ),
        schedulesElsewhere: z
          .string()
          .optional()
          .describe('Why this server starts no schedules: another one starts those of the same flows.'),
        cluster: z.boolean().describe('Whether servers may share the data (`WEFT_DATABASE_URL`).'),
      }),
    handle({ access, config, losses, schedulesElsewhere }, { request }) {
      const caller = access.require(request, 'session');
      const { deploy, triggerOrigin, timezone } = config;
      const lost = losses.map(({ message }) => message);
      return {
        csrf: caller.csrf as string,
        scopes: [...caller.scopes],
        deploy,
        version,
        triggerOrigin,
        timezone,
        lost,
        schedulesElsewhere: schedulesElsewhere(),
        cluster: config.databaseUrl !== undefined,
      };
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/session',
    scope: 'public',
    bodyLimit: ({ config }) => Math.min(config.bodyLimit, 64 * 1024),
    tag: 'Platform',
    summary: 'Sign in with `WEFT_ADMIN_PASSWORD`. Five attempts per minute.',
    body: () => SignInBody,
    answer: () => z.object({ csrf: csrf() }),
    errors: ['unauthorized', 'too_many_requests'],
    async handle(ctx, { request, reply }) {
      const { name, cookie, csrf: token } = await signIn(ctx, request);
      audit(ctx, request, SIGNED_IN, { by: name });
      reply.header('cache-control', 'no-store').header('set-cookie', cookie);
      return { csrf: token };
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/session/invite',
    scope: 'session',
    tag: 'Platform',
    summary:
      'Create an address that signs in another browser: once, within 15 minutes. Earlier addresses, including the one printed at the start, expire.',
    answer: () => z.object({ address: z.string() }),
    handle(ctx, { request, reply }) {
      // By default the address that this browser used: the guard has verified that both headers name this server.
      const { origin, host } = request.headers;
      const address = signInAddress(ctx, ctx.config.publicUrl ?? origin ?? `http://${host}`);
      audit(ctx, request, 'sign-in address made', {});
      reply.header('cache-control', 'no-store');
      return { address };
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/session',
    scope: 'session',
    tag: 'Platform',
    summary: 'Sign out this browser, or all browsers with `all=true`.',
    query: () => z.strictObject({ all: z.enum(['true', 'false']).default('false') }),
    answer: () => z.null(),
    errors: ['storage_failed'],
    async handle(ctx, { request, reply, query }) {
      const all = query.all === 'true';
      if (all) audit(ctx, request, 'all browsers signed out', {});
      reply.header('set-cookie', await ctx.access.signOut(request, all ? 'all' : 'this browser'));
      return null;
    },
  }),
];

async function signIn(ctx: Context, request: FastifyRequest) {
  // Checked here and not by the route, whose problems would repeat the sent password.
  const body = SignInBody.safeParse(request.body);
  if (!body.success)
    throw new ServiceError('invalid_request', 'Send {"password": "…"}.', { param: 'password' });
  try {
    return await ctx.access.signIn(request, body.data.password, senderAddress(request) ?? 'local');
  } catch (error) {
    audit(ctx, request, 'sign-in refused', { code: (error as { code?: unknown }).code });
    throw error;
  }
}
