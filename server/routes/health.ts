import type { FastifyInstance } from 'fastify';
import type { Context } from '../context.ts';
import { createStorageProbe } from '../storage-probe.ts';

/** `/healthz`: the process answers. `/readyz`: it should get traffic; the body says which part is not ready. */
export default async function health(app: FastifyInstance, ctx: Context): Promise<void> {
  const probeStorage = createStorageProbe(ctx.config.data, ctx.host.now);

  app.get('/healthz', { config: { scope: 'public' } }, () => ({ status: 'ok' }));

  app.get('/readyz', { config: { scope: 'public' } }, async (_request, reply) => {
    const checks = {
      flows: ctx.flows.ready ? 'ok' : 'loading',
      storage: (await probeStorage()) ? 'ok' : 'not writable',
      server: app.lifecycle.draining ? 'draining' : 'ok',
    };
    const isReady = Object.values(checks).every((state) => state === 'ok');
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', checks });
  });
}
