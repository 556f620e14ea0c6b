import { withPlace } from '../../execution/runs/run-limits.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Plan } from '#engine';
import type { RunLine, StartedRun, StartRunBody } from '#shared/api.ts';
import { hijack } from '../../access/answers/stream-answer.ts';
import { PING_MS } from '../../access/http/stream-limits.ts';
import type { RunInPart } from '#shared/run-event.ts';
import { keyOf, ownerOf } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import { startedRun } from '../../execution/durable/started-run.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { callerUploads, handlesIn } from '../../storage/file-store/held-values.ts';
import { iterationOf } from '../../execution/starts/iteration.ts';
import {
  chooseTrigger,
  finished,
  requestFor,
  runLines,
  startValue,
} from '../../execution/starts/manual-run.ts';
import { pinHolder } from '../../execution/starts/partial/pins.ts';
import { type KnownFlows, knownFlows } from '../../execution/history/known-flows.ts';
import { isPartial, partialRun, type PartialWish } from '../../execution/starts/partial/partial-run.ts';
import { wholeNodes } from '../../execution/starts/partial/whole-outputs.ts';
import { checkHidden, hiddenInput, maskHidden } from '../../base/secrets/hidden-fields.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { distrust } from '../../access/security/distrust.ts';
import { addRoutes, defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');

interface StartContext extends Context {
  readonly known: KnownFlows;
}

interface Wish extends Omit<StartRunBody, 'trigger' | 'pins'> {
  readonly pins: PartialWish['pins'];
  /** The people who set the pins. */
  readonly pinners: readonly string[];
}

/** A prepared run: its trigger, its input, and the part of the flow that runs. */
interface Prepared {
  readonly flow: LiveFlow;
  readonly output: unknown;
  /** Present if only a part runs. */
  readonly inPart?: RunInPart;
  /** Whether it uses outputs of an untrusted run. */
  readonly isUntrusted?: boolean;
  /** Handles of the files in outputs of other runs that it may use. */
  readonly files?: readonly string[];
}

const start = defineRoute({
  method: 'POST',
  url: '/api/v1/flows/:id/run',
  scope: 'runs:write',
  tag: 'Flows',
  summary:
    'Start a run at a trigger with the given input, whole or in part. Answers when the run has ended; with `"wait": false` at once, with 202.',
  body: async () => (await api()).StartRunBody,
  bodyOptional: true,
  answer: async () => (await api()).StartedRun,
  errors: [
    'flow_not_found',
    'run_not_found',
    'flow_invalid',
    'conflict',
    'writes_need_yes',
    'overloaded',
    'draining',
  ],
  async handle(ctx: StartContext, { request, reply, params: { id }, body: { trigger: named, ...body } }) {
    // This run returns outputs of the earlier one again.
    if ([body.reuse, body.only, body.from].some((wish) => wish !== undefined))
      ctx.access.require(request, 'runs:read');
    const flow = await findFlow(ctx, id, body.draft);
    const pinned = await pinnedOf(ctx, flow.id, body.pins);
    return begin(ctx, { flow, trigger: chooseTrigger(flow, named) }, { ...body, ...pinned }, reply);
  },
});

const fork = defineRoute({
  method: 'POST',
  url: '/api/v1/runs/:id/fork',
  scope: 'runs:write',
  tag: 'Runs',
  summary:
    'Start a run that uses the outputs of this one, from a given node or with your own outputs; answers as a start does.',
  body: async () => (await api()).ForkRunBody,
  bodyOptional: true,
  answer: async () => (await api()).StartedRun,
  errors: [
    'run_not_found',
    'writes_need_yes',
    'flow_not_found',
    'flow_invalid',
    'conflict',
    'overloaded',
    'draining',
  ],
  async handle(ctx: StartContext, call) {
    ctx.access.require(call.request, 'runs:read');
    const { body } = call;
    const { id: reuse } = call.params;
    const row = await ctx.runs.get(reuse);
    if (row === undefined) throw new ServiceError('run_not_found');
    const flow = await findFlow(ctx, row.flow, body.draft);
    const pinned = await pinnedOf(ctx, flow.id, body.pins);
    const trigger = chooseTrigger(flow, row.trigger);
    return begin(ctx, { flow, trigger }, { ...body, reuse, ...pinned }, call.reply);
  },
});

/**
 * Runs that a person starts by hand: of the live flow or of its draft, whole or in part, new or from an earlier run.
 */
export default async function startRunRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  addRoutes(app, { ...ctx, known: knownFlows(ctx.flows) }, [start, fork]);
}

async function begin(
  ctx: StartContext,
  { flow, trigger }: { readonly flow: LiveFlow; readonly trigger: string },
  wish: Wish,
  reply: FastifyReply,
): Promise<StartedRun | FastifyReply> {
  const { output, inPart: part, isUntrusted, ...prepared } = await prepare(ctx, flow, trigger, wish);
  const untrusted = isUntrusted ? 'writer' : distrustOf(ctx, flow, wish, reply.request);
  const inPart: RunInPart | undefined = part && untrusted ? { ...part, untrusted: true } : part;
  const request: RunRequest = {
    flow: prepared.flow,
    output,
    trigger,
    request: requestFor(flow, trigger, output),
    source: wish.draft ? 'test' : 'manual',
    apiKey: keyOf(ctx, reply.request),
    record: 'full',
    inPart,
    untrusted,
    files: [...(prepared.files ?? []), ...(await uploadedIn(ctx, wish, reply.request))],
  };
  const plan = prepared.flow.compiled.plans.get(trigger) as Plan;
  const masks = maskHidden(plan, request, ctx.redactor);
  if (inPart === undefined && isDurable(flow, trigger))
    return beginDurable(ctx, request, { ...wish, masks }, reply);
  const placed = await withPlace(ctx.runs, request);
  const run = ctx.subFlows.hold(flow, () => ctx.runs.start(placed));
  reply.header('x-weft-run', run.id);
  if (wish.stream) {
    const begun = { run: run.id, status: 'running', ...inPart } as const;
    return sendLines(reply, startedLines(begun, runLines(run, masks)));
  }
  const end = finished(run, masks);
  if (wish.wait) return { ...(await end), ...inPart };
  isGoingOn(reply, run.id);
  return { run: run.id, status: run.outcome?.status ?? 'running', ...inPart };
}

/** The files of the input that the caller has uploaded. */
async function uploadedIn(ctx: StartContext, { input }: Wish, request: FastifyRequest): Promise<string[]> {
  if (handlesIn(input).length === 0) return [];
  return ctx.uploads.heldIn(input, callerUploads(ctx.access.require(request, 'runs:write')));
}

/** Answers before the run ends, with the address of its status. */
function isGoingOn(reply: FastifyReply, run: string): void {
  reply.code(202).header('location', `/api/v1/runs/${run}`);
}

async function pinnedOf(
  { pins }: Context,
  flow: string,
  wanted: boolean,
): Promise<Pick<Wish, 'pins' | 'pinners'>> {
  if (!wanted) return { pins: {}, pinners: [] };
  return { pins: await pins.get(flow), pinners: await pins.writers(flow) };
}

/** A published flow is trusted; a draft is not, nor are outputs that a person set in place of a node's own. */
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

/** A caller who waits for the result waits until the run ends or pauses at a wait. */
async function beginDurable(
  ctx: Context,
  request: RunRequest,
  { wait, stream, masks }: Pick<Wish, 'wait' | 'stream'> & { readonly masks: Redactor },
  reply: FastifyReply,
): Promise<StartedRun | FastifyReply> {
  const { run } = await ctx.durable.start(request);
  reply.header('x-weft-run', run);
  if (stream) {
    const settled = ctx.durable.settled(run).then((view) => startedRun(view, masks));
    return sendLines(reply, startedLines({ run, status: 'running' }, settledLines(settled)));
  }
  if (wait) return startedRun(await ctx.durable.settled(run), masks);
  isGoingOn(reply, run);
  return { run, status: 'running' };
}

/** The flow to run and its input. */
async function prepare(ctx: StartContext, flow: LiveFlow, trigger: string, wish: Wish): Promise<Prepared> {
  const { known } = ctx;
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
  // The input of the earlier run is not available for another start.
  if (plan.hidesFields && wish.input === undefined && !isKept && partial.reused !== undefined)
    throw hiddenInput(plan);
  const output = isKept ? partial.input : startValue(flow, trigger, wish.input);
  const { decisions, reused, isUntrusted } = partial;
  const inPart = { decisions: [...decisions], ...(reused && { reused }) };
  return { flow: partial.flow, output, inPart, isUntrusted, files: await filesFor(ctx, flow.id, reused) };
}

/** The files of the earlier run, and those in pinned outputs. */
async function filesFor(
  { files }: StartContext,
  flow: string,
  reused: string | undefined,
): Promise<string[]> {
  const earlier = reused === undefined ? [] : await files.of({ kind: 'run', id: reused });
  return [...earlier, ...(await files.of(pinHolder(flow)))];
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

const LINES = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** Sends lines as they come; empty ones keep a silent connection open. A caller who leaves ends nothing: the lines are still read. */
function sendLines(reply: FastifyReply, lines: AsyncIterable<RunLine>): FastifyReply {
  const raw = hijack(reply, 200, LINES);
  const ping = setInterval(() => raw.write('\n'), PING_MS);
  raw.on('error', () => {});
  raw.once('close', () => clearInterval(ping));
  const send = async (): Promise<void> => {
    for await (const line of lines) if (!raw.destroyed) raw.write(`${JSON.stringify(line)}\n`);
    raw.end();
  };
  // Cut off without the line `ended`, the caller knows that something is missing.
  send().catch(() => raw.destroy());
  return reply;
}

async function* startedLines(run: StartedRun, rest: AsyncIterable<RunLine>): AsyncGenerator<RunLine> {
  yield { kind: 'started', run };
  yield* rest;
}

/** The lines of a run that is reported only at its end, or where it waits. */
async function* settledLines(settled: Promise<StartedRun>): AsyncGenerator<RunLine> {
  const { status, ms, error, answer } = await settled;
  if (answer) yield { kind: 'answer', answer };
  yield { kind: 'ended', status, ...(ms !== undefined && { ms }), ...(error && { error }) };
}
