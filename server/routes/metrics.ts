import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Context } from './context.ts';
import { isLoopback } from '../config/hosts.ts';
import { isForwarded } from '../security/origin.ts';

/**
 * `/metrics` for Prometheus: open where only this machine can ask, else for keys with `runs:read`, since it tells how
 * much a business does. What a proxy forwards comes from others, whatever the settings say. The library is loaded at the first
 * question.
 */
export default async function metrics(app: FastifyInstance, ctx: Context): Promise<void> {
  const { host, trustProxy, publicUrl } = ctx.config;
  const isPrivate = isLoopback(host) && !trustProxy && publicUrl === undefined;
  let registry: Registry | undefined;

  app.get('/metrics', { config: { scope: isPrivate ? 'public' : 'runs:read' } }, async (request, reply) => {
    if (isPrivate && isForwarded(request)) ctx.access.require(request, 'runs:read');
    registry ??= (await import('./metrics/metrics.ts')).createMetrics(ctx);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
