import type { FastifyInstance } from 'fastify';
import {
  type DeadLetterPage,
  DeadLetterQuery,
  type Delivery,
  DropManyBody,
  RetryBody,
  RetryManyBody,
} from '#shared/calls-api.ts';
import { audit } from '../security/audit.ts';
import { dropLetters, retryLetters, retryRun } from '../after-runs/retry-letters.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { readPart } from '../requests/read-part.ts';

const READ = { config: { scope: 'runs:read' } } as const;
const WRITE = { config: { scope: 'runs:write' } } as const;

interface ById {
  Params: { id: string };
}

/** `/api/v1/dead-letters` and `/api/v1/deliveries`: runs that failed for good, and notices of runs that did not arrive. */
export default async function deadLetterRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { deadLetters, deliveries } = ctx.calls;
  const url = '/api/v1/dead-letters';

  app.get(url, READ, (request) => {
    const query = readPart(DeadLetterQuery, request.query, 'query');
    const found = deadLetters.list(query);
    const last = found.at(-1);
    const page: DeadLetterPage = {
      deadLetters: found,
      ...(last && found.length === query.limit && { next: last.run }),
    };
    return ok(page);
  });

  app.post<ById>('/api/v1/runs/:id/retry', WRITE, async (request, reply) => {
    const { version } = readPart(RetryBody, request.body ?? {}, 'body');
    const { id } = request.params;
    const run = await retryRun(ctx, id, version);
    audit(ctx, request, 'run retried', { run: id, as: run, version });
    return reply.code(202).header('location', `/api/v1/runs/${run}`).send(ok({ run }));
  });

  app.post(`${url}/retry`, WRITE, async (request) => {
    const { version, ...which } = readPart(RetryManyBody, request.body ?? {}, 'body');
    const retried = await retryLetters(ctx, which, version);
    audit(ctx, request, 'dead letters retried', { ...which, retried: retried.retried.length });
    return ok(retried);
  });

  app.post(`${url}/drop`, WRITE, (request) => {
    const which = readPart(DropManyBody, request.body ?? {}, 'body');
    const dropped = dropLetters(ctx, which);
    audit(ctx, request, 'dead letters dropped', { ...which, dropped });
    return ok({ dropped });
  });

  app.delete<ById>(`${url}/:id`, WRITE, (request) => {
    const { id } = request.params;
    if (!deadLetters.drop(id))
      throw new ServiceError('run_not_found', `There is no dead letter of the run ${id}.`);
    audit(ctx, request, 'dead letter dropped', { run: id });
    return ok(null);
  });

  app.get('/api/v1/deliveries', READ, () => {
    const list: Delivery[] = deliveries.list();
    return ok(list);
  });
}
