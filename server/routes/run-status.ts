import type { FastifyInstance } from 'fastify';
import { type CalledRun, RunStatusQuery } from '#shared/calls-api.ts';
import { RUN_STATUS_PREFIX } from '../calls/run-links.ts';
import type { Context } from '../context.ts';
import type { DurableView } from '../durable/durable-runs.ts';
import { ok } from '../envelope.ts';
import { ServiceError } from '../errors.ts';
import { readPart } from './read-part.ts';

interface ById {
  Params: { id: string };
}

/** `/api/v1/run-status/:id`: how a run stands, for the caller that was given this address; there also without the editor. */
export default async function runStatusRoutes(
  app: FastifyInstance,
  { durable, links }: Pick<Context, 'durable' | 'links'>,
): Promise<void> {
  const config = { scope: 'public' } as const;
  app.get<ById>(`${RUN_STATUS_PREFIX}/:id`, { config }, async (request, reply) => {
    const { token } = readPart(RunStatusQuery, request.query, 'query');
    const { id } = request.params;
    // A wrong token and a run that is gone look the same: nobody learns which runs there are.
    const view = links.fits(id, token) ? await durable.get(id) : undefined;
    if (view === undefined) throw new ServiceError('run_not_found');
    reply.header('cache-control', 'no-store');
    return ok(calledRun(view));
  });
}

function calledRun({ run, flow, status, startedAt, endedAt, answer, error }: DurableView): CalledRun {
  return {
    run,
    flow,
    status,
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(answer && { answer: { ...answer, body: answer.body } }),
    ...(error && { error: { code: error.code, message: error.message } }),
  };
}
