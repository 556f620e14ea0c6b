import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';

interface HealthContext extends Context {
  readonly canStore: () => Promise<boolean>;
  readonly canReadDurable: () => Promise<boolean>;
  readonly isDraining: () => boolean;
}

const routes = [
  defineRoute({
    method: 'GET',
    url: '/healthz',
    scope: 'public',
    servedAt: 'both',
    tag: 'Platform',
    summary: 'Check that the process is alive.',
    content: () => ({ 'application/json': z.object({ status: z.literal('ok') }) }),
    handle: () => ({ status: 'ok' }),
  }),

  defineRoute({
    method: 'GET',
    url: '/readyz',
    scope: 'public',
    servedAt: 'both',
    tag: 'Platform',
    summary:
      'Check that the server can serve: flows are loaded, storage is writable, durable runs are readable, and it is not shutting down. Otherwise 503.',
    content: () => ({ 'application/json': readiness() }),
    async handle(ctx: HealthContext, { reply }) {
      const { flows, losses, schedulesElsewhere, canStore, canReadDurable, isDraining } = ctx;
      const lost = losses.map(({ store }) => store);
      const checks = {
        flows: flows.ready ? 'ok' : 'loading',
        storage: (await canStore()) ? 'ok' : 'not writable',
        durable: lost.includes('durable.db') ? 'lost' : (await canReadDurable()) ? 'ok' : 'not readable',
        server: isDraining() ? 'draining' : 'ok',
      };
      const isReady = Object.values(checks).every((state) => state === 'ok');
      reply.code(isReady ? 200 : 503);
      return {
        status: isReady ? 'ready' : 'not ready',
        checks,
        ...(lost.length > 0 && { lost }),
        ...(schedulesElsewhere() !== undefined && { schedules: 'elsewhere' }),
      };
    },
  }),
];

function readiness() {
  return z.object({
    status: z.string(),
    checks: z.object({ flows: z.string(), storage: z.string(), durable: z.string(), server: z.string() }),
    lost: z
      .array(z.string())
      .optional()
      .describe('Stores of the data folder that were missing, foreign, older or damaged at the start.'),
    schedules: z
      .literal('elsewhere')
      .optional()
      .describe('Another server starts the schedules of these flows, so this one does not.'),
  });
}

/** `/healthz`: the process answers. `/readyz`: it should get traffic; the body names the part that is not ready. */
export default async function healthRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { durable, host } = ctx;
  const isRead = (): Promise<boolean> =>
    durable.get('none').then(
      () => true,
      () => false,
    );
  const canWrite = createStorageProbe(ctx.config.data, host.now);
  const probes = {
    canStore: async () => !ctx.nodes.isStale() && ctx.nodes.canWrite() && (await canWrite()),
    canReadDurable: keptFresh(isRead, host.now),
    isDraining: () => app.lifecycle.leaving || app.lifecycle.draining,
  };
  addRoutes(app, { ...ctx, ...probes }, routes);
}

const freshMs = 5000;

/** Checks by writing whether the data folder is writable. */
function createStorageProbe(data: string, now: () => number): () => Promise<boolean> {
  const file = join(data, '.probe');
  return keptFresh(() => write(file), now);
}

/** The answer is cached for five seconds, because anyone may ask. */
function keptFresh(probe: () => Promise<boolean>, now: () => number): () => Promise<boolean> {
  let last: { at: number; result: Promise<boolean> } | undefined;
  return () => {
    if (last === undefined || now() - last.at >= freshMs) last = { at: now(), result: probe() };
    return last.result;
  };
}

async function write(file: string): Promise<boolean> {
  try {
    await writeFile(file, 'This file shows that the folder can be written.\n', { mode: 0o600 });
    await rm(file, { force: true });
    return true;
  } catch {
    return false;
  }
}
