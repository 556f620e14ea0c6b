import { withPlace } from '../runs/run-limits.ts';
import type { Asker, Plan } from '#engine';
import { allNodes } from '#engine/check';
import { earlierOutputs } from '#engine/workbench';
import type { StartedRun } from '#shared/api.ts';
import type { EvaluationTarget } from '#shared/evaluation.ts';
import type { RunEvent } from '#shared/run-event.ts';
import type { DurableRuns } from '../durable/durable-runs.ts';
import { startedRun } from '../durable/started-run.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import type { FlowService, LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { wholeEvents } from '../history/blobs/whole-events.ts';
import type { Knowledge } from '../../integrations/knowledge/knowledge.ts';
import type { RunHub } from '../runs/run-types.ts';
import { checkHidden, maskHidden } from '../../base/secrets/hidden-fields.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import { chooseTrigger, finished, requestFor, startValue } from '../starts/manual-run.ts';
import type { SubFlows } from '../starts/sub-flows.ts';
import { type Came, answerText } from './scorers.ts';

export interface TargetDeps {
  readonly flows: Pick<FlowService, 'live' | 'draft' | 'get'>;
  readonly runs: Pick<RunHub, 'start' | 'placeFor' | 'cancel' | 'events' | 'value'>;
  readonly durable: Pick<DurableRuns, 'start' | 'settled'>;
  readonly subFlows: Pick<SubFlows, 'hold'>;
  readonly knowledge: Pick<Knowledge, 'opened'>;
  readonly redactor: Redactor;
}

/** The actor that started an evaluation. */
export interface EvaluatedBy {
  readonly apiKey: string | undefined;
  /** Whether a flow's unpublished version counts as published. */
  readonly distrust: (flow: LiveFlow) => RunRequest['untrusted'];
}

/** The run's answer and documents, to be scored, and the run itself. Throws the error of the answer. */
export interface Answered extends Came {
  readonly run?: string;
}

/** A failure of the run that was started. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
  readonly run: string;
  readonly code: string;

  constructor(run: string, { code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.run = run;
    this.code = code;
  }
}

/** The target of an evaluation, resolved once: its version, and how cases are sent to it. */
export interface OpenTarget {
  /** `flow <id>` or `space <name>`. */
  readonly name: string;
  readonly version: string;
  ask(input: unknown, by: Asker, signal: AbortSignal): Promise<Answered>;
}

/**
 * Throws `flow_not_found`, `conflict` for a flow that is not live, `invalid_request` for its trigger,
 * `space_not_found`.
 */
export async function openTarget(
  target: EvaluationTarget,
  { draft }: { readonly draft: boolean },
  by: EvaluatedBy,
  deps: TargetDeps,
): Promise<OpenTarget> {
  if ('space' in target) return openSpace(target, deps);
  const flow = await versionOf(target.flow, draft, deps);
  const trigger = chooseTrigger(flow, target.trigger);
  return {
    name: `flow ${flow.id}`,
    version: flow.writers === undefined ? flow.version : `${flow.version} draft`,
    async ask(input, _by, signal) {
      const { run, answer } = await runFlow(flow, { trigger, input, signal, by }, deps);
      const { answer: field } = target;
      return {
        run,
        answer: field === undefined ? answer : (answer as Record<string, unknown> | null)?.[field],
        documents: await documentsOf(run, flow, deps),
      };
    },
  };
}

async function openSpace(
  { space: name, limit }: Extract<EvaluationTarget, { space: string }>,
  { knowledge }: TargetDeps,
): Promise<OpenTarget> {
  const { model, split } = await (await knowledge.opened()).named(name);
  return {
    name: `space ${name}`,
    version: `${model ?? 'words'}, ${split.by} ${split.size}/${split.overlap}`,
    async ask(input, by, signal) {
      const opened = await knowledge.opened();
      const space = await opened.named(name);
      const asked = {
        query: answerText(input).slice(0, 10_000),
        limit,
        filter: {},
        documents: [],
        neighbours: 0,
      };
      const { hits } = await opened.searchIn([space], asked, by, signal);
      return { documents: hits.map(({ document }) => document.name) };
    },
  };
}

async function versionOf(id: string, draft: boolean, { flows }: TargetDeps): Promise<LiveFlow> {
  if (draft) return flows.draft(id);
  const live = flows.live(id);
  if (live !== undefined) return live;
  const { state } = await flows.get(id);
  throw new ServiceError(
    'conflict',
    `The flow ${id} is not live (${state}); publish it, or evaluate its draft.`,
  );
}

interface Start {
  readonly trigger: string;
  readonly input: unknown;
  readonly by: EvaluatedBy;
  readonly signal: AbortSignal;
}

/** Throws `RunFailed`, and the errors of a start. */
export async function runFlow(
  flow: LiveFlow,
  { trigger, input, by, signal }: Start,
  { runs, durable, subFlows, redactor }: TargetDeps,
): Promise<{ run: string; answer: unknown }> {
  signal.throwIfAborted();
  const plan = flow.compiled.plans.get(trigger) as Plan;
  checkHidden(plan, input);
  const output = startValue(flow, trigger, input);
  const request: RunRequest = {
    flow,
    trigger,
    output,
    request: requestFor(flow, trigger, output),
    source: flow.writers === undefined ? 'manual' : 'test',
    apiKey: by.apiKey,
    record: 'full',
    untrusted: flow.writers === undefined ? undefined : by.distrust(flow),
  };
  const masks = maskHidden(plan, request, redactor);
  if (isDurable(flow, trigger)) {
    const { run } = await durable.start(request);
    return resultOf(startedRun(await durable.settled(run, signal), masks));
  }
  const placed = await withPlace(runs, request);
  const run = subFlows.hold(flow, () => runs.start(placed));
  const stop = (): void => void runs.cancel(run.id, 'stop');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return resultOf(await finished(run, masks));
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function resultOf({ run, status, answer, error }: StartedRun): { run: string; answer: unknown } {
  if (error !== undefined) throw new RunFailed(run, error);
  if (answer?.kind === 'error') throw new RunFailed(run, answer.error);
  if (status !== 'ok')
    throw new RunFailed(run, {
      code: 'conflict',
      message: `The run has not ended (${status}): it waits for something.`,
    });
  return { run, answer: answer?.kind === 'value' ? answer.body : null };
}

const RETRIEVE = 'knowledge.retrieve';

/** The documents that the nodes of a run have retrieved, in the order of the nodes' starts; those of bodies last. */
export async function documentsOf(
  run: string,
  { flow }: Pick<LiveFlow, 'flow'>,
  { runs }: { readonly runs: Pick<RunHub, 'events' | 'value'> },
): Promise<string[]> {
  const nodes = allNodes(flow);
  if (!Object.values(nodes).some(({ operator }) => operator === RETRIEVE)) return [];
  const events = (await runs.events(run, 0)) ?? [];
  const whole = await wholeEvents(events, (hash) => runs.value(run, hash));
  const own = whole.filter((event): event is RunEvent => event.kind !== 'gap');
  const outside = [...earlierOutputs(own, () => true)].flatMap(([node, earlier]) =>
    nodes[node]?.operator === RETRIEVE && 'outputs' in earlier ? namesIn(earlier.outputs['out']) : [],
  );
  const inBodies = own.flatMap((event) =>
    event.kind === 'node-output' && event.round !== undefined && nodes[event.node]?.operator === RETRIEVE
      ? namesIn(event.value)
      : [],
  );
  return [...outside, ...inBodies];
}

function namesIn(hits: unknown): string[] {
  if (!Array.isArray(hits)) return [];
  return hits.flatMap((hit: unknown) => {
    if (Array.isArray(hit)) return namesIn(hit);
    const name = (hit as { readonly document?: { readonly name?: unknown } } | null)?.document?.name;
    return typeof name === 'string' ? [name] : [];
  });
}
