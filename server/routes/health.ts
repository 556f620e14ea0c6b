import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { createStorageProbe, keptFresh } from '../files/storage-probe.ts';

/** `/healthz`: the process answers. `/readyz`: it should get traffic; the body says which part is not ready. */
export default async function health(app: FastifyInstance, ctx: Context): Promise<void> {
  const { durable, losses } = ctx;
  const probeStorage = createStorageProbe(ctx.config.data, ctx.host.now);
  const isRead = (): Promise<boolean> =>
    durable.get('none').then(
      () => true,
      () => false,
    );
  const probeDurable = keptFresh(isRead, ctx.host.now);
  const lost = losses.map(({ store }) => store);

  app.get('/healthz', { config: { scope: 'public', servedAt: 'both' } }, () => ({ status: 'ok' }));

  app.get('/readyz', { config: { scope: 'public', servedAt: 'both' } }, async (_request, reply) => {
    const checks = {
      flows: ctx.flows.ready ? 'ok' : 'loading',
      storage: (await probeStorage()) ? 'ok' : 'not writable',
      durable: lost.includes('durable.db') ? 'lost' : (await probeDurable()) ? 'ok' : 'not readable',
      server: app.lifecycle.draining ? 'draining' : 'ok',
    };
    const isReady = Object.values(checks).every((state) => state === 'ok');
    return reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not ready', checks, ...(lost.length > 0 && { lost }) });
  });
}
