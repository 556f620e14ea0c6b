import type { FastifyInstance } from 'fastify';
import {
  type DeletedRuns,
  RunEventsQuery,
  type RunEventPage,
  RunListQuery,
  type RunPage,
} from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { audit, callerOf } from '../security/audit.ts';
import type { Context } from './context.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { exportRun } from '../history/kept-run.ts';
import { recordingOf } from '../history/replay/recording.ts';
import { findRuns } from '../history/value-search.ts';
import { readPart } from '../requests/read-part.ts';

const READ = { config: { scope: 'runs:read' } } as const;
const WRITE = { config: { scope: 'runs:write' } } as const;

const RUNS = '/api/v1/runs';

interface ById {
  Params: { id: string };
}

/** `/api/v1/runs`: what ran and what runs. The websockets beside it are in `runs/sockets.ts`. */
export default async function runRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { runs } = ctx;
  deleteRoutes(app, ctx);

  app.get(RUNS, READ, async (request) => {
    const query = readPart(RunListQuery, request.query, 'query');
    const page: RunPage = await findRuns(runs, query);
    return ok(page);
  });

  app.get<ById>(`${RUNS}/:id`, READ, async (request) => {
    const summary = await runs.get(request.params.id);
    if (summary === undefined) throw new ServiceError('run_not_found');
    return ok(summary);
  });

  app.get<ById>(`${RUNS}/:id/events`, READ, async (request) => {
    const { after, limit } = readPart(RunEventsQuery, request.query, 'query');
    const events = await runs.events(request.params.id, after);
    if (events === undefined) throw new ServiceError('run_not_found');
    const page: RunEventPage = { events: events.slice(0, limit), more: events.length > limit };
    return ok(page);
  });

  app.get<ById>(`${RUNS}/:id/export`, READ, async (request, reply) => {
    const { id } = request.params;
    const file = await exportRun(runs, id);
    reply.header('content-disposition', `attachment; filename="${file.summary.flow}-${id}.run.json"`);
    return file;
  });

  app.get<ById>(`${RUNS}/:id/recording`, READ, async (request, reply) => {
    const { id } = request.params;
    const file = await recordingOf(ctx, id);
    reply.header('content-disposition', `attachment; filename="${file.summary.flow}-${id}.recording.json"`);
    return file;
  });

  app.get<ById & { Params: { hash: string } }>(`${RUNS}/:id/values/:hash`, READ, async (request) => {
    const { id, hash } = request.params;
    const json = await runs.value(id, hash);
    if (json !== undefined) return ok(JSON.parse(json));
    if ((await runs.get(id)) === undefined) throw new ServiceError('run_not_found');
    throw new ServiceError('run_value_not_found');
  });

  app.post<ById>(`${RUNS}/:id/cancel`, WRITE, async (request, reply) => {
    const { id } = request.params;
    const isTaken = (await ctx.durable.cancel(id, callerOf(ctx, request))) || runs.cancel(id, 'stop');
    if (!isTaken) {
      if ((await runs.get(id)) === undefined) throw new ServiceError('run_not_found');
      throw new ServiceError('conflict', 'The run has ended already.');
    }
    return reply.code(202).send(ok({ run: id }));
  });
}

function deleteRoutes(app: FastifyInstance, ctx: Context): void {
  const { runs } = ctx;

  app.delete(RUNS, WRITE, async (request) => {
    // It tells how many there are of whatever was asked for.
    ctx.access.require(request, 'runs:read');
    const query = readPart(RunListQuery, request.query, 'query');
    const { runs: found, next } = await findRuns(runs, query);
    const deleted = await removeEnded(ctx, found);
    audit(ctx, request, 'runs deleted', { runs: deleted });
    const answer: DeletedRuns = { deleted, ...(next !== undefined && { next }) };
    return ok(answer);
  });

  app.delete<ById>(`${RUNS}/:id`, WRITE, async (request) => {
    const { id } = request.params;
    // First, so that who is interrupted finds the run, and can delete the rest.
    const { gone, left } = await ctx.durable.forget([id]);
    if (left.length > 0)
      throw new ServiceError('conflict', 'The run is in progress; cancel it first, or wait for its end.');
    const isRemoved = await removed(runs, id);
    if (!isRemoved && gone.length === 0) throw new ServiceError('run_not_found');
    audit(ctx, request, 'run deleted', { run: id });
    return ok(null);
  });
}

/** What was deleted meanwhile is passed over, and what is carried on. */
async function removeEnded(
  { runs, durable }: Pick<Context, 'runs' | 'durable'>,
  found: readonly RunSummary[],
): Promise<number> {
  const ended = found.filter(({ status }) => status !== 'running' && status !== 'waiting');
  const { left } = await durable.forget(ended.map(({ run }) => run));
  let count = 0;
  for (const { run } of ended) if (!left.includes(run) && (await removed(runs, run))) count++;
  return count;
}

/** False when it is not in the history. */
async function removed(runs: Context['runs'], run: string): Promise<boolean> {
  try {
    await runs.remove(run);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'run_not_found') return false;
    throw error;
  }
}
