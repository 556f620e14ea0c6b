import type { FastifyInstance } from 'fastify';
import { type CalledRun, RunStatusQuery } from '#shared/calls-api.ts';
import { RUN_STATUS_PREFIX } from '../durable/run-links.ts';
import type { Context } from './context.ts';
import type { DurableView } from '../durable/durable-runs.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { boundError } from '../history/recorded-event.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { readPart } from '../requests/read-part.ts';

interface ById {
  Params: { id: string };
}

/** `/api/v1/run-status/:id`: how a run stands, for the caller that was given this address; there also without the editor. */
export default async function runStatusRoutes(
  app: FastifyInstance,
  { durable, links, redactor }: Pick<Context, 'durable' | 'links' | 'redactor'>,
): Promise<void> {
  const config = { scope: 'public', servedAt: 'both' } as const;
  app.get<ById>(`${RUN_STATUS_PREFIX}/:id`, { config }, async (request, reply) => {
    const { token } = readPart(RunStatusQuery, request.query, 'query');
    const { id } = request.params;
    // A wrong token and a run that is gone look the same: nobody learns which runs there are.
    const view = links.fits(id, token) ? await durable.get(id) : undefined;
    if (view === undefined) throw new ServiceError('run_not_found');
    reply.header('cache-control', 'no-store');
    return ok(calledRun(view, redactor));
  });
}

/** The answer is what the flow gives its caller; in an error may stand what an address outside has repeated. */
function calledRun(
  { run, flow, status, startedAt, endedAt, answer, error }: DurableView,
  redactor: Redactor,
): CalledRun {
  const masked = error && boundError(error, redactor);
  return {
    run,
    flow,
    status,
    startedAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(answer && { answer: { ...answer, body: answer.body } }),
    ...(masked && { error: { code: masked.code, message: masked.message } }),
  };
}
