import { withPlace } from '../runs/run-limits.ts';
import {
  type Asker,
  type Caller,
  callerOf,
  contextBelow,
  type Run,
  type RunAnswer,
  type RunCtx,
  RUN_LEFT,
  type SubFlowCall,
  type SubFlowService,
  WeftError,
} from '#engine';
import { isStream } from '#shared/json.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { ReviveFlow } from './revive-flow.ts';
import { chooseTrigger } from './manual-run.ts';
import type { RunHub } from '../runs/run-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { Untrusted } from '../../base/secrets/store.ts';
import { signatureOf } from './signature.ts';

/** The most levels that flows may call each other below the run that was started from outside. */
export const MAX_DEPTH = 16;

export interface SubFlowDeps {
  /** The live version of a flow. */
  readonly live: (id: string) => LiveFlow | undefined;
  readonly runs: Pick<RunHub, 'start' | 'placeFor' | 'leavePart'>;
  /** The runs in progress that are `untrusted`. */
  readonly untrusted?: ReadonlyMap<string, Untrusted> | undefined;
  /** For parts of durable runs, whose version may no longer be live. */
  readonly revive?: ReviveFlow | undefined;
}

/**
 * Runs flows for nodes of other flows.
 * SF1. A run started here is a part of the calling run: one level deeper, identified by `parent`, and cancelled
 *      with the signal of the calling node.
 * SF2. A run that ends in the same turn returns its result in the same turn: no promise, no listener.
 *      A part of a durable run is durable with it, and all passes run the same version of the called flow.
 * SF3. Every failure reaches the calling node as a coded error that names the flow and the node where it
 *      happened.
 */
export interface SubFlows extends SubFlowService {
  /**
   * Starts a run of a version that may not be live (a draft): while it is in progress, calls of its own flow get this
   * version.
   */
  hold(flow: LiveFlow, start: () => Run): Run;
  /** Like `run`, but as a run of its own, for callers without a run. */
  readonly alone: SubFlowService['run'];
}

/** What a durable run records of a flow that it calls, as `:flow:<id>`. */
export interface PinnedFlow {
  readonly version: string;
  readonly text: string;
}

export function createSubFlows({ live, runs, untrusted, revive }: SubFlowDeps): SubFlows {
  const held = new Set<{ readonly flow: LiveFlow }>();

  function look(id: string, by: Asker): LiveFlow | undefined {
    return (id === by.flow ? heldVersion(by) : undefined) ?? live(id);
  }

  function find(id: string, by: Asker): LiveFlow {
    const found = look(id, by);
    if (found) return found;
    throw missing(id);
  }

  function heldVersion({ flow: id, version }: Asker): LiveFlow | undefined {
    for (const { flow } of held) if (flow.id === id && flow.version === version) return flow;
    return undefined;
  }

  return {
    run(call, by, signal) {
      signal.throwIfAborted();
      const parent = callerBelowLimit(by, call.flow);
      const ctx = contextBelow(by, call.part);
      const begin = (flow: LiveFlow): unknown => {
        // The same version is trusted no more than the run that calls it; the live version was published.
        const isSame = by.flow === flow.id && by.version === flow.version;
        const distrust = isSame ? untrusted?.get(by.run) : undefined;
        const part = { parent, key: call.key, atMostMs: call.timeoutMs, ...(ctx && { ctx }) };
        const run = startRun(runs, requestFor(flow, call, { part, untrusted: distrust }));
        if (ctx !== undefined) run.onEnd(() => ctx.end());
        return resultOf(run, signal, () => runs.leavePart(run.id));
      };
      if (ctx === undefined) return begin(find(call.flow, by));
      return pinned(call.flow, ctx, { look: () => look(call.flow, by), revive })
        .then((flow) => {
          signal.throwIfAborted();
          return begin(flow);
        })
        .catch((error: unknown) => {
          ctx.end();
          throw error;
        });
    },
    async alone(call, by, signal) {
      signal.throwIfAborted();
      const flow = find(call.flow, by);
      const placed = await placedRequest(runs, requestFor(flow, call, {}));
      return resultOf(startRun(runs, placed), signal);
    },
    hold(flow, start) {
      const entry = { flow };
      held.add(entry);
      try {
        const run = start();
        run.onEnd(() => held.delete(entry));
        return run;
      } catch (error) {
        held.delete(entry);
        throw error;
      }
    },
  };
}

interface Versions {
  readonly look: () => LiveFlow | undefined;
  readonly revive: SubFlowDeps['revive'];
}

/** The version of a flow that the run saw first. */
async function pinned(id: string, ctx: RunCtx, { look, revive }: Versions): Promise<LiveFlow> {
  const pin = (await ctx.once(`flow:${id}`, async () => {
    const found = look();
    if (found === undefined) throw missing(id);
    return { version: found.version, text: JSON.stringify(found.flow) };
  })) as PinnedFlow;
  const now = look();
  if (now?.version === pin.version) return now;
  if (revive !== undefined) return revive(id, pin.version, pin.text);
  throw missing(id);
}

function missing(id: string): WeftError {
  const message = `There is no live flow \`${id}\`; publish it, or name another one in \`flow\`.`;
  return new WeftError('sub_flow_missing', message, { field: 'params.flow' });
}

function callerBelowLimit(by: Asker, flow: string): Caller {
  const caller = callerOf(by);
  if (caller === undefined) {
    throw new WeftError('bad_operator', `${by.operator} must ask with its own \`call.asker\`.`);
  }
  if (caller.depth < MAX_DEPTH) return caller;
  throw new WeftError(
    'sub_flow_depth',
    `\`${by.flow}\` may not call \`${flow}\` here: flows call each other at most ${MAX_DEPTH} levels deep. Give the recursion an end.`,
  );
}

function requestFor(
  flow: LiveFlow,
  call: SubFlowCall,
  more: Pick<RunRequest, 'part' | 'untrusted'>,
): RunRequest {
  return refusing(flow.id, () => {
    const trigger = triggerOf(flow, call.trigger);
    const { output, request } = signatureOf(flow, trigger).accept(call.input);
    return { flow, trigger, request, output, source: 'flow', ...more };
  });
}

function startRun(runs: SubFlowDeps['runs'], request: RunRequest): Run {
  return refusing(request.flow.id, () => runs.start(request));
}

async function placedRequest(runs: SubFlowDeps['runs'], request: RunRequest): Promise<RunRequest> {
  try {
    return await withPlace(runs, request);
  } catch (error) {
    throw error instanceof ServiceError ? refusal(request.flow.id, error) : error;
  }
}

function refusing<T>(flow: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof ServiceError ? refusal(flow, error) : error;
  }
}

function triggerOf(flow: LiveFlow, named: string | undefined): string {
  const { plans } = flow.compiled;
  if (named !== undefined && plans.has(named)) return named;
  if (named === undefined && plans.size === 1) return plans.keys().next().value as string;
  try {
    return chooseTrigger(flow, named);
  } catch (error) {
    const { message } = error as Error;
    throw new WeftError('sub_flow_trigger', `\`${flow.id}\`: ${message}`, { field: 'params.trigger' });
  }
}

/** If the called flow's trigger refuses an input, the calling node should not have sent it. */
function refusal(flow: string, { code, message, detail }: ServiceError): WeftError {
  if (code !== 'invalid_request') return new WeftError(code, `\`${flow}\`: ${message}`);
  return new WeftError('bad_input', `\`${flow}\` does not take this input: ${message}`, { data: { detail } });
}

/** `leave`: called if the calling run continues elsewhere. */
function resultOf(run: Run, signal: AbortSignal, leave?: () => void): unknown {
  const { answer } = run;
  if (run.outcome === undefined) {
    const cancel = (): void => {
      if (leave !== undefined && signal.reason === RUN_LEFT) leave();
      else run.cancel('stop');
    };
    signal.addEventListener('abort', cancel, { once: true });
    run.onEnd(() => signal.removeEventListener('abort', cancel));
  }
  return answer === undefined ? laterResult(run, signal) : valueOf(run, answer);
}

/** Rejects as soon as the signal aborts, however long the called run takes to end. */
function laterResult(run: Run, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    run.onAnswer((answer) => {
      signal.removeEventListener('abort', leave);
      try {
        resolve(valueOf(run, answer));
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}

function valueOf(run: Run, answer: RunAnswer): unknown {
  if (answer.kind === 'empty') return null;
  if (answer.kind === 'error') throw failureOf(run, answer.error);
  const { status = 200, body } = answer;
  if (status < 400) return body;
  throw new WeftError('sub_flow_refused', `The flow \`${run.flow}\` answered with the status ${status}.`, {
    data: { flow: run.flow, run: run.id, status, ...(!isStream(body) && { body }) },
  });
}

function failureOf(run: Run, error: Extract<RunAnswer, { kind: 'error' }>['error']): WeftError {
  const { code, message, node, data, transient } = error;
  const place = node === undefined ? '' : ` at \`${node}\``;
  return new WeftError(code, `The flow \`${run.flow}\` failed${place}: ${message}`, {
    transient,
    data: {
      flow: run.flow,
      run: run.id,
      ...(node !== undefined && { node }),
      ...(data !== undefined && { data }),
    },
  });
}
