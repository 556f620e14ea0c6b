import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { knownFlows } from '../history/known-flows.ts';

interface ById {
  Params: { id: string };
}

/** `/api/v1/runs/:id/timeline`: where a run's time and money went. What finds that out is loaded with the first question. */
export default async function timelineRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const known = knownFlows(ctx.flows);
  const parts = { runs: ctx.runs, flowAt: known.at.bind(known), now: ctx.host.now };

  app.get<ById>('/api/v1/runs/:id/timeline', { config: { scope: 'runs:read' } }, async (request) => {
    const { timelineOf } = await import('../history/timeline/timeline.ts');
    const timeline = await timelineOf(request.params.id, parts);
    if (timeline === undefined) throw new ServiceError('run_not_found');
    return ok(timeline);
  });
}
