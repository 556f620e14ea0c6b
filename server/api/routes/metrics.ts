import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { lazy } from '../../base/parts/lazy.ts';
import type { Context } from './context.ts';
import { isLoopback } from '../../base/config/hosts.ts';
import { isForwarded } from '../../access/security/origin.ts';
import { addRoutes, defineRoute } from './define-route.ts';

interface MetricsContext extends Context {
  /** Whether only this machine can reach the metrics. */
  readonly isPrivate: boolean;
  readonly numbers: () => Promise<Registry>;
}

/** The sum of all processes that serve on this port. */
async function sumOfAll(): Promise<Registry> {
  const { metricsOfAll } = await import('../../base/process/supervisor-channel.ts');
  const { AggregatorRegistry } = await import('prom-client');
  const all = await metricsOfAll();
  return AggregatorRegistry.aggregate(all.map((one) => [...one]));
}

const metrics = defineRoute({
  method: 'GET',
  url: '/metrics',
  scope: 'runs:read',
  tag: 'Platform',
  summary: 'Get metrics in the format of Prometheus. Open on loopback; elsewhere a key needs `runs:read`.',
  content: () => ({ 'text/plain': z.string() }),
  async handle({ access, config, isPrivate, numbers }: MetricsContext, { request, reply }) {
    if (isPrivate && isForwarded(request)) access.require(request, 'runs:read');
    const registry = await (config.process === undefined ? numbers() : sumOfAll());
    return reply.type(registry.contentType).send(await registry.metrics());
  },
});

/**
 * `/metrics` for Prometheus: open if only this machine can reach it, otherwise for keys with `runs:read`, since metrics
 * reveal how busy a business is. Requests that a proxy forwards come from others, regardless of the settings. The
 * library is loaded by the first request. Any of several processes on one port returns the sum.
 */
export default async function metricsRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { host, trustProxy, publicUrl } = ctx.config;
  const isPrivate = isLoopback(host) && !trustProxy && publicUrl === undefined;
  const numbers = lazy(async () =>
    (await import('./metrics/metrics.ts')).createMetrics({ ...ctx, rates: app.rates }),
  );
  if (ctx.config.process !== undefined) {
    const { offerMetrics } = await import('../../base/process/supervisor-channel.ts');
    offerMetrics(async () => (await numbers()).getMetricsAsJSON());
  }
  addRoutes(app, { ...ctx, isPrivate, numbers }, [isPrivate ? { ...metrics, scope: 'public' } : metrics]);
}
