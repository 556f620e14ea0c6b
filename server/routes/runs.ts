import type { FastifyInstance } from 'fastify';
import {
  RunEventsQuery,
  type RunEventPage,
  type RunExport,
  RunListQuery,
  type RunPage,
} from '#shared/api.ts';
import { audit } from '../audit.ts';
import type { Context } from '../context.ts';
import { ok } from '../envelope.ts';
import { ServiceError } from '../errors.ts';
import { readPart } from './read-part.ts';

const READ = { config: { scope: 'runs:read' } } as const;
const WRITE = { config: { scope: 'runs:write' } } as const;

interface ById {
  Params: { id: string };
}

/** `/api/v1/runs`: what ran and what runs. The websockets beside it are in `runs/sockets.ts`. */
export default async function runRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { runs } = ctx;
  const url = '/api/v1/runs';

  app.get(url, READ, async (request) => {
    const query = readPart(RunListQuery, request.query, 'query');
    const found = await runs.list(query);
    const last = found.at(-1);
    const page: RunPage = { runs: found, ...(last && found.length === query.limit && { next: last.run }) };
    return ok(page);
  });

  app.get<ById>(`${url}/:id`, READ, async (request) => {
    const summary = await runs.get(request.params.id);
    if (summary === undefined) throw new ServiceError('run_not_found');
    return ok(summary);
  });

  app.get<ById>(`${url}/:id/events`, READ, async (request) => {
    const { after, limit } = readPart(RunEventsQuery, request.query, 'query');
    const events = await runs.events(request.params.id, after);
    if (events === undefined) throw new ServiceError('run_not_found');
    const page: RunEventPage = { events: events.slice(0, limit), more: events.length > limit };
    return ok(page);
  });

  app.get<ById>(`${url}/:id/export`, READ, async (request, reply) => {
    const { id } = request.params;
    const [summary, events] = await Promise.all([runs.get(id), runs.events(id, 0)]);
    if (summary === undefined || events === undefined) throw new ServiceError('run_not_found');
    const file: RunExport = { format: 'weft.run/1', summary, events };
    reply.header('content-disposition', `attachment; filename="${summary.flow}-${id}.run.json"`);
    return file;
  });

  app.delete<ById>(`${url}/:id`, WRITE, async (request) => {
    const { id } = request.params;
    await runs.remove(id);
    audit(ctx, request, 'run deleted', { run: id });
    return ok(null);
  });

  app.post<ById>(`${url}/:id/cancel`, WRITE, async (request, reply) => {
    const { id } = request.params;
    if (!runs.cancel(id, 'stop')) {
      if ((await runs.get(id)) === undefined) throw new ServiceError('run_not_found');
      throw new ServiceError('conflict', 'The run has ended already.');
    }
    return reply.code(202).send(ok({ run: id }));
  });
}
