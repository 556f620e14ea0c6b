import type { FastifyInstance } from 'fastify';
import { StartRunBody, type StartedRun } from '#shared/api.ts';
import type { Context, LiveFlow } from '../context.ts';
import { ok } from '../envelope.ts';
import { ServiceError } from '../errors.ts';
import { iterationOf } from '../runs/iteration.ts';
import { chooseTrigger, finished, requestFor } from '../runs/manual-run.ts';
import { readPart } from './read-part.ts';

const WRITE = { config: { scope: 'runs:write' } } as const;

interface ById {
  Params: { id: string };
}

/** Runs that someone starts by hand, of the live flow or of its draft. */
export default async function startRunRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const { runs } = ctx;

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
    return reply.code(202).header('location', `/api/v1/runs/${run.id}`).send(ok(started));
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
