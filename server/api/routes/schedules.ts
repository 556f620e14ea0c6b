import { z } from 'zod';
import type { Schedule } from '#shared/api.ts';
import { audit, keyOf } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { type ScheduleSpec, schedulesOf } from '../../base/requests/schedule-spec.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { Context } from './context.ts';
import { defineRoute } from './define-route.ts';
import { idempotencyKeyOf } from '../../base/requests/read-part.ts';

const api = () => import('#shared/api.ts');
const packageApi = () => import('#shared/package-api.ts');

/** `/api/v1/schedules` and `/api/v1/sources`: triggers that start flows by themselves. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/schedules',
    scope: 'flows:read',
    tag: 'Runs',
    summary:
      'List flows with a schedule and when each starts next, here or on another server of the same flows.',
    guide: 'schedules',
    answer: async () => z.array((await api()).Schedule),
    handle: (ctx) => listed(ctx),
  }),
  defineRoute({
    method: 'POST',
    url: '/api/v1/schedules/:flow/:node/pause',
    scope: 'runs:write',
    tag: 'Runs',
    summary: 'Pause a schedule: times that come meanwhile start nothing, also after it goes on.',
    guide: 'schedules',
    answer: async () => (await api()).Schedule,
    errors: ['schedule_not_found'],
    async handle(ctx, { request, params }) {
      findSchedule(ctx, params);
      await ctx.schedulePauses.pause(params, ctx.access.require(request, 'runs:write').name);
      audit(ctx, request, 'schedule paused', { flow: params.flow, node: params.node });
      return oneOf(ctx, params);
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/v1/schedules/:flow/:node/resume',
    scope: 'runs:write',
    tag: 'Runs',
    summary: 'Let a paused schedule go on, from now.',
    guide: 'schedules',
    answer: async () => (await api()).Schedule,
    errors: ['schedule_not_found'],
    async handle(ctx, { request, params }) {
      findSchedule(ctx, params);
      await ctx.schedulePauses.resume(params);
      audit(ctx, request, 'schedule resumed', { flow: params.flow, node: params.node });
      return oneOf(ctx, params);
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/api/v1/schedules/:flow/:node/run',
    scope: 'runs:write',
    tag: 'Runs',
    summary:
      'Start a run of a schedule now, besides its times, also while it is paused. With an `Idempotency-Key`, a repeat starts no second durable run.',
    guide: 'schedules',
    answer: () => z.object({ run: z.string() }),
    status: 202,
    errors: ['schedule_not_found', 'idempotency_key_invalid', 'overloaded', 'draining', 'too_many_runs'],
    async handle(ctx, { request, reply, params }) {
      const { flow, spec } = findSchedule(ctx, params);
      const { runNow } = await import('../../execution/schedules/run-now.ts');
      const starting = { runs: ctx.runs, durable: ctx.durable, hold: ctx.subFlows.hold.bind(ctx.subFlows) };
      const once = idempotencyKeyOf(request);
      const run = await runNow(
        starting,
        flow,
        { node: params.node, spec },
        {
          at: ctx.host.now(),
          apiKey: keyOf(ctx, request),
          once,
        },
      );
      audit(ctx, request, 'schedule run', { flow: params.flow, node: params.node, run });
      reply.header('x-weft-run', run).header('location', `/api/v1/runs/${run}`);
      return { run };
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/api/v1/sources',
    scope: 'flows:read',
    masked: true,
    tag: 'Runs',
    summary: 'List the sources of live flows: whether they listen, when the last item came, and what failed.',
    answer: async () => z.array((await packageApi()).Source),
    handle: ({ sources, flows }) => sources.list((id) => flows.live(id)),
  }),
];

interface Place {
  readonly flow: string;
  readonly node: string;
}

async function listed({ schedules, schedulePauses, flows }: Context): Promise<Schedule[]> {
  return schedulePauses.withPauses(await schedules.list((id) => flows.live(id)));
}

async function oneOf(ctx: Context, { flow, node }: Place): Promise<Schedule> {
  const found = (await listed(ctx)).find((one) => one.flow === flow && one.node === node);
  if (found === undefined) throw notFound({ flow, node });
  return found;
}

function findSchedule({ flows }: Context, place: Place): { flow: LiveFlow; spec: ScheduleSpec } {
  const flow = flows.live(place.flow);
  const spec = flow && schedulesOf(flow.flow).get(place.node);
  if (flow === undefined || spec === undefined) throw notFound(place);
  return { flow, spec };
}

function notFound({ flow, node }: Place): ServiceError {
  return new ServiceError('schedule_not_found', `There is no live flow ${flow} with a schedule ${node}.`);
}
