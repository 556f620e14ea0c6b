import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { runDiff } from '../history/diff/run-diff.ts';
import { keptRun } from '../history/kept-run.ts';

interface TwoRuns {
  Params: { id: string; other: string };
}

/** `/api/v1/runs/:id/diff/:other`: what the other run did differently, node by node. */
export default async function runDiffRoutes(app: FastifyInstance, { runs }: Context): Promise<void> {
  app.get<TwoRuns>('/api/v1/runs/:id/diff/:other', { config: { scope: 'runs:read' } }, async (request) => {
    const { id, other } = request.params;
    const [before, after] = await Promise.all([keptRun(runs, id), keptRun(runs, other)]);
    return ok(runDiff(before, after));
  });
}
