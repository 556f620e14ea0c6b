import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { signInAddress } from '../security/sign-in.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { version } from '../http/version.ts';

const url = '/api/v1/session';

const SignInBody = z.object({ password: z.string().min(1).max(1024) });

/** The browser's session: what it may do, signing in by password, letting in another one, signing out. */
export default async function session(app: FastifyInstance, ctx: Context): Promise<void> {
  const { access, config } = ctx;
  const lost = ctx.losses.map(({ message }) => message);

  app.get(url, { config: { scope: 'session' } }, (request) => {
    const caller = access.require(request, 'session');
    const { deploy, triggerOrigin } = config;
    return ok({ csrf: caller.csrf, scopes: [...caller.scopes], deploy, version, triggerOrigin, lost });
  });

  app.post(
    url,
    { config: { scope: 'public' }, bodyLimit: Math.min(config.bodyLimit, 64 * 1024) },
    async (request, reply) => {
      // Not by `readPart`: its problems repeat what was sent.
      const body = SignInBody.safeParse(request.body);
      if (!body.success)
        throw new ServiceError('invalid_request', 'Send {"password": "…"}.', { param: 'password' });
      const { name, cookie, csrf } = await access
        .signIn(request, body.data.password, request.ip)
        .catch((error: unknown) => {
          audit(ctx, request, 'sign-in refused', { code: (error as { code?: unknown }).code });
          throw error;
        });
      audit(ctx, request, 'signed in', { by: name });
      return reply.header('cache-control', 'no-store').header('set-cookie', cookie).send(ok({ csrf }));
    },
  );

  app.post(`${url}/invite`, { config: { scope: 'session' } }, (request, reply) => {
    // Where nothing else is set, the address that brought this browser here: the guard has found both headers to be ours.
    const { origin, host } = request.headers;
    const address = signInAddress(ctx, config.publicUrl ?? origin ?? `http://${host}`);
    audit(ctx, request, 'sign-in address made', {});
    return reply.header('cache-control', 'no-store').send(ok({ address }));
  });

  app.delete(url, { config: { scope: 'session' } }, (request, reply) =>
    reply.header('set-cookie', access.signOut(request)).send(ok(null)),
  );
}
