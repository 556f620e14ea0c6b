import type { FastifyInstance, FastifyReply } from 'fastify';
import { ForkRunBody, StartRunBody, type StartedRun } from '#shared/api.ts';
import type { RunInPart } from '#shared/run-event.ts';
import { keyOf } from '../audit.ts';
import type { Context, LiveFlow, RunRequest } from '../context.ts';
import { isDurable } from '../durable/is-durable.ts';
import { startedRun } from '../durable/started-run.ts';
import { ok } from '../envelope.ts';
import { ServiceError } from '../errors.ts';
import { iterationOf } from '../runs/iteration.ts';
import { chatStart } from '../runs/chat-start.ts';
import { chooseTrigger, finished, requestFor } from '../runs/manual-run.ts';
import { type KnownFlows, knownFlows } from '../runs/partial/known-flows.ts';
import { isPartial, partialRun, type PartialWish } from '../runs/partial/partial-run.ts';
import { wholeNodes } from '../runs/partial/whole-outputs.ts';
import { readPart } from './read-part.ts';

const WRITE = { config: { scope: 'runs:write' } } as const;

interface ById {
  Params: { id: string };
}

type Wish = Omit<StartRunBody, 'trigger' | 'pins'> & { readonly pins: PartialWish['pins'] };

/** What is started: where, with what, and what is left of the flow. */
interface Prepared {
  readonly flow: LiveFlow;
  readonly output: unknown;
  /** Where not everything runs. */
  readonly inPart?: RunInPart;
}

/** Runs that someone starts by hand: of the live flow or of its draft, whole or in part, anew or from an earlier run. */
export default async function startRunRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const known = knownFlows(ctx.flows);

  async function begin(flow: LiveFlow, trigger: string, wish: Wish, reply: FastifyReply) {
    const { output, inPart, ...prepared } = await prepare({ ctx, known }, flow, trigger, wish);
    const start: RunRequest = {
      flow: prepared.flow,
      output,
      trigger,
      request: requestFor(flow, trigger, output),
      source: wish.draft ? 'test' : 'manual',
      apiKey: keyOf(ctx, reply.request),
      record: 'full',
      inPart,
    };
    if (inPart === undefined && isDurable(flow, trigger)) return beginDurable(ctx, start, wish, reply);
    const run = ctx.subFlows.hold(flow, () => ctx.runs.start(start));
    const end = finished(run, ctx.redactor);
    reply.header('x-weft-run', run.id);
    if (wish.wait) return ok({ ...(await end), ...inPart });
    const started: StartedRun = { run: run.id, status: run.outcome?.status ?? 'running', ...inPart };
    return reply.code(202).header('location', `/api/v1/runs/${run.id}`).send(ok(started));
  }

  app.post<ById>('/api/v1/flows/:id/run', WRITE, async (request, reply) => {
    const { trigger: named, ...body } = readPart(StartRunBody, request.body ?? {}, 'body');
    // What an earlier run gave comes out of this one again.
    if ([body.reuse, body.only, body.from].some((wish) => wish !== undefined))
      ctx.access.require(request, 'runs:read');
    const flow = await findFlow(ctx, request.params.id, body.draft);
    const pins = body.pins ? await ctx.pins.get(flow.id) : {};
    return begin(flow, chooseTrigger(flow, named), { ...body, pins }, reply);
  });

  app.post<ById>('/api/v1/runs/:id/fork', WRITE, async (request, reply) => {
    ctx.access.require(request, 'runs:read');
    const body = readPart(ForkRunBody, request.body ?? {}, 'body');
    const { id: reuse } = request.params;
    const row = await ctx.runs.get(reuse);
    if (row === undefined) throw new ServiceError('run_not_found');
    const flow = await findFlow(ctx, row.flow, body.draft);
    const pins = body.pins ? await ctx.pins.get(flow.id) : {};
    return begin(flow, chooseTrigger(flow, row.trigger), { ...body, reuse, pins }, reply);
  });
}

/** Who waits for the result waits until the run is over or comes to wait itself. */
async function beginDurable(ctx: Context, start: RunRequest, { wait }: Wish, reply: FastifyReply) {
  const { run } = await ctx.durable.start(start);
  reply.header('x-weft-run', run);
  if (wait) return ok(startedRun(await ctx.durable.settled(run), ctx.redactor));
  return reply
    .code(202)
    .header('location', `/api/v1/runs/${run}`)
    .send(ok({ run, status: 'running' }));
}

/** What runs, and what it starts with. */
async function prepare(
  { ctx, known }: { readonly ctx: Context; readonly known: KnownFlows },
  flow: LiveFlow,
  trigger: string,
  wish: Wish,
): Promise<Prepared> {
  known.remember(flow);
  if (!isPartial(wish)) {
    const whole = { flow, output: chatStart(flow, trigger, wish.input) };
    return iterationOf(flow, trigger, wish.input, ctx.registry) ?? whole;
  }
  const outputs = wish.outputs && (await wholeNodes(ctx.runs, wish.reuse, wish.outputs));
  const parts = { runs: ctx.runs, flowAt: known.at.bind(known) };
  const partial = await partialRun(parts, flow, trigger, { ...wish, outputs });
  const output = wish.input === undefined ? partial.input : wish.input;
  const { decisions, reused } = partial;
  return { flow: partial.flow, output, inPart: { decisions: [...decisions], ...(reused && { reused }) } };
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
