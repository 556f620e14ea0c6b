import type { FastifyInstance } from 'fastify';
import {
  RunEventsQuery,
  type RunEventPage,
  RunListQuery,
  type RunPage,
  StartRunBody,
  type StartedRun,
} from '#shared/api.ts';
import type { Context, LiveFlow } from '../context.ts';
import { ok } from '../envelope.ts';
import { ServiceError } from '../errors.ts';
import { iterationOf } from '../runs/iteration.ts';
import { chooseTrigger, finished, requestFor } from '../runs/manual-run.ts';
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
    const { flow, status, parent, nested, limit, before } = readPart(RunListQuery, request.query, 'query');
    const found = await runs.list({
      limit,
      nested,
      ...(parent && { parent }),
      ...(flow && { flow }),
      ...(status && { status }),
      ...(before && { before }),
    });
    const last = found.at(-1);
    const page: RunPage = { runs: found, ...(last && found.length === limit && { next: last.run }) };
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

  app.post<ById>(`${url}/:id/cancel`, WRITE, async (request, reply) => {
    const { id } = request.params;
    if (!runs.cancel(id, 'stop')) {
      if ((await runs.get(id)) === undefined) throw new ServiceError('run_not_found');
      throw new ServiceError('conflict', 'The run has ended already.');
    }
    return reply.code(202).send(ok({ run: id }));
  });

  app.post<ById>('/api/v1/flows/:id/run', WRITE, async (request, reply) => {
    const body = readPart(StartRunBody, request.body ?? {}, 'body');
    const flow = await findFlow(ctx, request.params.id, body.draft);
    const trigger = chooseTrigger(flow, body.trigger);
    const start = iterationOf(flow, trigger, body.input, ctx.registry) ?? { flow, output: body.input };
    const run = ctx.subFlows.hold(flow, () =>
      runs.start({
        ...start,
        trigger,
        request: requestFor(flow, trigger, body.input),
        source: body.draft ? 'test' : 'manual',
        record: 'full',
      }),
    );
    const end = finished(run, ctx.redactor);
    reply.header('x-weft-run', run.id);
    if (body.wait) return ok(await end);
    const started: StartedRun = { run: run.id, status: run.outcome?.status ?? 'running' };
    return reply.code(202).header('location', `${url}/${run.id}`).send(ok(started));
  });
}

async function findFlow({ flows }: Context, id: string, draft: boolean): Promise<LiveFlow> {
  if (draft) return flows.draft(id);
  const live = flows.live(id);
  if (live !== undefined) return live;
  const { state } = await flows.get(id);
  throw new ServiceError(
    'conflict',
    `The flow is not live (${state}); publish it, or run it with \`"draft": true\`.`,
  );
}
