import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Plan } from '#engine';
import { ForkRunBody, StartRunBody, type StartedRun } from '#shared/api.ts';
import type { RunInPart } from '#shared/run-event.ts';
import { keyOf, ownerOf } from '../security/audit.ts';
import type { Context } from './context.ts';
import type { LiveFlow } from '../flows/flow-types.ts';
import type { RunRequest } from '../flows/run-request.ts';
import { isDurable } from '../flows/is-durable.ts';
import { startedRun } from '../durable/started-run.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { iterationOf } from '../starts/iteration.ts';
import { chooseTrigger, finished, requestFor, startValue } from '../starts/manual-run.ts';
import { type KnownFlows, knownFlows } from '../history/known-flows.ts';
import { isPartial, partialRun, type PartialWish } from '../starts/partial/partial-run.ts';
import { wholeNodes } from '../starts/partial/whole-outputs.ts';
import { checkHidden, hiddenInput, maskHidden } from '../secrets/hidden-fields.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { distrust } from '../security/distrust.ts';
import { readPart } from '../requests/read-part.ts';

const WRITE = { config: { scope: 'runs:write' } } as const;

interface ById {
  Params: { id: string };
}

interface Wish extends Omit<StartRunBody, 'trigger' | 'pins'> {
  readonly pins: PartialWish['pins'];
  /** Who has set the pins. */
  readonly pinners: readonly string[];
}

/** What is started: where, with what, and what is left of the flow. */
interface Prepared {
  readonly flow: LiveFlow;
  readonly output: unknown;
  /** Where not everything runs. */
  readonly inPart?: RunInPart;
  /** Uses what an untrusted run gave. */
  readonly isUntrusted?: boolean;
}

/** Runs that someone starts by hand: of the live flow or of its draft, whole or in part, anew or from an earlier run. */
export default async function startRunRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const known = knownFlows(ctx.flows);

  async function begin(flow: LiveFlow, trigger: string, wish: Wish, reply: FastifyReply) {
    const {
      output,
      inPart: part,
      isUntrusted,
      ...prepared
    } = await prepare({ ctx, known }, flow, trigger, wish);
    const untrusted = isUntrusted ? 'writer' : distrustOf(ctx, flow, wish, reply.request);
    const inPart: RunInPart | undefined = part && untrusted ? { ...part, untrusted: true } : part;
    const start: RunRequest = {
      flow: prepared.flow,
      output,
      trigger,
      request: requestFor(flow, trigger, output),
      source: wish.draft ? 'test' : 'manual',
      apiKey: keyOf(ctx, reply.request),
      record: 'full',
      inPart,
      untrusted,
    };
    const plan = prepared.flow.compiled.plans.get(trigger) as Plan;
    const masks = maskHidden(plan, start, ctx.redactor);
    if (inPart === undefined && isDurable(flow, trigger))
      return beginDurable(ctx, start, { wait: wish.wait, masks }, reply);
    const run = ctx.subFlows.hold(flow, () => ctx.runs.start(start));
    const end = finished(run, masks);
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
    const pinned = await pinnedOf(ctx, flow.id, body.pins);
    return begin(flow, chooseTrigger(flow, named), { ...body, ...pinned }, reply);
  });

  app.post<ById>('/api/v1/runs/:id/fork', WRITE, async (request, reply) => {
    ctx.access.require(request, 'runs:read');
    const body = readPart(ForkRunBody, request.body ?? {}, 'body');
    const { id: reuse } = request.params;
    const row = await ctx.runs.get(reuse);
    if (row === undefined) throw new ServiceError('run_not_found');
    const flow = await findFlow(ctx, row.flow, body.draft);
    const pinned = await pinnedOf(ctx, flow.id, body.pins);
    return begin(flow, chooseTrigger(flow, row.trigger), { ...body, reuse, ...pinned }, reply);
  });
}

async function pinnedOf(
  { pins }: Context,
  flow: string,
  wanted: boolean,
): Promise<Pick<Wish, 'pins' | 'pinners'>> {
  if (!wanted) return { pins: {}, pinners: [] };
  return { pins: await pins.get(flow), pinners: await pins.writers(flow) };
}

/** What is published runs as it is; a draft, and outputs that somebody has put in the place of a node's own, do not. */
function distrustOf(
  ctx: Context,
  { writers }: LiveFlow,
  { pinners, outputs }: Wish,
  request: FastifyRequest,
): RunRequest['untrusted'] {
  if (writers === undefined && pinners.length === 0 && outputs === undefined) return undefined;
  const all = [...(writers ?? []), ...pinners];
  return distrust(ctx.access, { writers: all, starter: ownerOf(ctx, request) });
}

/** Who waits for the result waits until the run is over or comes to wait itself. */
async function beginDurable(
  ctx: Context,
  start: RunRequest,
  { wait, masks }: { readonly wait: boolean; readonly masks: Redactor },
  reply: FastifyReply,
) {
  const { run } = await ctx.durable.start(start);
  reply.header('x-weft-run', run);
  if (wait) return ok(startedRun(await ctx.durable.settled(run), masks));
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
  const plan = flow.compiled.plans.get(trigger) as Plan;
  checkHidden(plan, wish.input);
  if (!isPartial(wish)) {
    const whole = { flow, output: startValue(flow, trigger, wish.input) };
    return iterationOf(flow, trigger, wish.input, ctx.registry) ?? whole;
  }
  const outputs = wish.outputs && (await wholeNodes(ctx.runs, wish.reuse, wish.outputs));
  const parts = { runs: ctx.runs, flowAt: known.at.bind(known) };
  const partial = await partialRun(parts, flow, trigger, { ...wish, outputs });
  const isKept = wish.input === undefined && partial.input !== undefined;
  // What an earlier run was started with is not there to start with again.
  if (plan.hidesFields && wish.input === undefined && !isKept && partial.reused !== undefined)
    throw hiddenInput(plan);
  const output = isKept ? partial.input : startValue(flow, trigger, wish.input);
  const { decisions, reused, isUntrusted } = partial;
  const inPart = { decisions: [...decisions], ...(reused && { reused }) };
  return { flow: partial.flow, output, inPart, isUntrusted };
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
