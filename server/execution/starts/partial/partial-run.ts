import { isDeepStrictEqual } from 'node:util';
import type { Decision, Earlier, Given, Plan, Step, Wanted } from '#engine';
import { decide, earlierOutputs, stepsAround, unaskedWrites, withGiven } from '#engine/workbench';
import type { NodeOutputs } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { RunHub } from '../../runs/run-types.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { wholeEvents } from '../../history/blobs/whole-events.ts';
import { checkWrites, decideInside, type InRound, refusal } from './inside-bodies.ts';
import { editedNodes } from './edited-nodes.ts';
import { isWholeValue } from './whole-value.ts';

/** A request for a run that need not execute everything. */
export interface PartialWish {
  readonly only?: string | undefined;
  readonly from?: string | undefined;
  /** For `only` or `from` in a body: the number of the round of the innermost loop, or the place of the round, such as `loop#3/group#0`. */
  readonly round?: number | string | undefined;
  /** Id of an earlier run, or `last`. */
  readonly reuse?: string | undefined;
  readonly outputs?: NodeOutputs | undefined;
  readonly pins: NodeOutputs;
  /** Nodes that may be executed although they may change something outside and were not requested. */
  readonly allowWrites?: readonly string[] | undefined;
  /** The input of the run; undefined for the input of the earlier run. */
  readonly input?: unknown;
}

/** A run of a part of a flow. */
export interface PartialRun {
  readonly flow: LiveFlow;
  readonly decisions: readonly Decision[];
  /** The earlier run. */
  readonly reused: string | undefined;
  /** The earlier run was `untrusted`. */
  readonly isUntrusted: boolean;
  /** The output of the earlier run's trigger; undefined without one. */
  readonly input: unknown;
}

export interface PartialDeps {
  readonly runs: Pick<RunHub, 'get' | 'list' | 'events' | 'value'>;
  /** The flow in a given version, if that is still known. */
  readonly flowAt: (id: string, version: string) => Promise<Flow | undefined>;
}

/** Whether the request is for less than a whole run. */
export function isPartial({ only, from, reuse, outputs, pins }: PartialWish): boolean {
  return [only, from, reuse, outputs].some((part) => part !== undefined) || Object.keys(pins).length > 0;
}

/**
 * The flow with a plan that executes only what is requested. Throws `invalid_request` for unknown nodes and ports,
 * `run_not_found`, `writes_need_yes`, and `conflict` for an earlier run whose values were not stored.
 */
export async function partialRun(
  deps: PartialDeps,
  flow: LiveFlow,
  trigger: string,
  wish: PartialWish,
): Promise<PartialRun> {
  const plan = flow.compiled.plans.get(trigger) as Plan;
  const { only, from, outputs = {} } = wish;
  checkNames(plan, wish);
  const source = await earlierRun(deps.runs, flow.id, trigger, wish);
  const { earlier, edited, isUntrusted, inRound } =
    source === undefined ? NOTHING_EARLIER : await outputsOf(deps, flow, source);
  const pins = pinsWithin(plan, wish.pins);
  const altered =
    source === undefined ? new Map<string, string>() : alteredNodes(plan, wish, { pins, earlier });
  const asked = only ?? from;
  const around = (asked === undefined ? undefined : stepsAround(plan, asked)) ?? [];
  const [outermost] = around;
  const wanted: Wanted = {
    // What follows the body would get the result of one round.
    ...(outermost === undefined ? { only, from } : { only: outermost.id }),
    changed: new Set(Object.keys(outputs)),
    pinned: new Set(Object.keys(pins)),
    altered,
    edited,
    earlier: new Map([...earlier].map(([node, it]) => [node, 'lack' in it ? it.lack : true])),
    reuses: source !== undefined,
  };
  const outer = decide(plan, wanted);
  checkWrites(unaskedWrites(plan, wanted, outer), plan, wish);
  const inner = decideInside({ around, wish, wanted, inRound });
  const given = new Map([
    ...outer.flatMap((decision) => givenOf(decision, { pins, outputs, earlier })),
    ...inner.decisions.flatMap((decision) => givenOf(decision, { pins, outputs, earlier: inner.earlier })),
    ...fixedInside(plan, { pins, outputs }).flatMap((one) => givenOf(one, { pins, outputs, earlier })),
  ]);
  const decisions = [...outer, ...inner.decisions];
  const leftOut = new Set(decisions.filter(({ does }) => does === 'left-out').map(({ node }) => node));
  const substituted = withGiven(plan, given, leftOut, inner.rounds);
  const plans = new Map(flow.compiled.plans).set(trigger, substituted);
  return {
    flow: { ...flow, compiled: { ...flow.compiled, plans } },
    decisions,
    reused: source?.run,
    isUntrusted,
    input: triggerInput(plan, earlier),
  };
}

interface Fixed {
  readonly pins: NodeOutputs;
  readonly outputs: NodeOutputs;
}

/** Nodes in bodies whose outputs are pinned or edited, for all rounds. */
function fixedInside(plan: Plan, { pins, outputs }: Fixed): Decision[] {
  const own = new Set(plan.steps.map(({ id }) => id));
  const inside = (of: NodeOutputs) => Object.keys(of).filter((node) => !own.has(node));
  return [
    ...inside(pins).map((node) => ({ node, does: 'pinned' as const, reason: '' })),
    ...inside(outputs).map((node) => ({ node, does: 'changed' as const, reason: '' })),
  ];
}

function givenOf(
  decision: Decision,
  from: Fixed & { readonly earlier: ReadonlyMap<string, Earlier> },
): (readonly [string, Given])[] {
  const found = givenFor(decision, from);
  return found === undefined ? [] : [[decision.node, found] as const];
}

function givenFor(
  { node, does }: Decision,
  from: { pins: NodeOutputs; outputs: NodeOutputs; earlier: ReadonlyMap<string, Earlier> },
): Given | undefined {
  if (does === 'pinned') return { outputs: from.pins[node] ?? {}, reason: 'pinned' };
  if (does === 'changed') return { outputs: from.outputs[node] ?? {}, reason: 'changed' };
  const known = does === 'reused' ? from.earlier.get(node) : undefined;
  return known === undefined || 'lack' in known ? undefined : { ...known, reason: 'reused' };
}

/** Containers of nodes with pinned outputs. */
function pinnedInside(plan: Plan, pins: NodeOutputs): Map<string, string> {
  const altered = new Map<string, string>();
  for (const node of Object.keys(pins)) {
    const [container] = stepsAround(plan, node) ?? [];
    if (container) altered.set(container.id, `The output of ${node} in it is pinned.`);
  }
  return altered;
}

/** Nodes whose output differs from the earlier run before anything is executed, with the reason why they run. */
function alteredNodes(
  plan: Plan,
  { input }: PartialWish,
  { pins, earlier }: { pins: NodeOutputs; earlier: ReadonlyMap<string, Earlier> },
): Map<string, string> {
  const altered = pinnedInside(plan, pins);
  for (const [node, outputs] of Object.entries(pins)) {
    if (!plan.steps.some(({ id }) => id === node)) continue;
    const known = earlier.get(node);
    const isSame = known !== undefined && 'outputs' in known && isDeepStrictEqual(known.outputs, outputs);
    if (!isSame) altered.set(node, 'Its output is pinned to another value.');
  }
  for (const [node, known] of earlier)
    if ('pinned' in known && known.pinned && !Object.hasOwn(pins, node))
      altered.set(node, 'Its output was pinned in the earlier run.');
  const before = triggerInput(plan, earlier);
  if (input !== undefined && !isDeepStrictEqual(input, before))
    altered.set(plan.trigger, 'It starts with another input.');
  return altered;
}

function triggerInput(plan: Plan, earlier: ReadonlyMap<string, Earlier>): unknown {
  const known = earlier.get(plan.trigger);
  return known === undefined || 'lack' in known ? undefined : Object.values(known.outputs)[0];
}

// ------------------------------------------------------------------------------------------------- the earlier run

/** The number of runs that are searched for the latest one with values. */
const LOOK_BACK = 50;

async function earlierRun(
  runs: PartialDeps['runs'],
  flow: string,
  trigger: string,
  { reuse, only, from }: PartialWish,
): Promise<RunSummary | undefined> {
  if (reuse === undefined && only === undefined && from === undefined) return undefined;
  if (reuse === undefined || reuse === 'last') {
    const latest = await runs.list({ flow, limit: LOOK_BACK });
    return latest.find((row) => row.recorded && row.status !== 'running' && row.trigger === trigger);
  }
  const row = await runs.get(reuse);
  if (row === undefined) throw new ServiceError('run_not_found');
  if (row.flow !== flow || row.trigger !== trigger) {
    const of = `the run is of ${row.flow}, started at ${row.trigger}`;
    throw new ServiceError('invalid_request', `\`reuse\`: ${of}; name one of ${flow} at ${trigger}.`, {
      param: 'reuse',
    });
  }
  if (!row.recorded) {
    const remedy = 'set `record: full` in the settings of the flow to store those of every run';
    throw new ServiceError('conflict', `The values of that run were not stored; ${remedy}.`);
  }
  return row;
}

async function outputsOf(
  { runs, flowAt }: PartialDeps,
  flow: LiveFlow,
  source: RunSummary,
): Promise<{
  readonly earlier: Map<string, Earlier>;
  readonly edited: ReadonlySet<string>;
  readonly isUntrusted: boolean;
  readonly inRound: InRound;
}> {
  const found = (await runs.events(source.run, 0)) ?? [];
  const own = found.filter((event): event is RunEvent => event.kind !== 'gap');
  const events = await wholeEvents(own, (hash) => runs.value(source.run, hash));
  const earlier = earlierOutputs(events, isWholeValue);
  const isUntrusted = own.some((event) => event.kind === 'run-started' && event.inPart?.untrusted === true);
  const inRound = (place: string): Map<string, Earlier> => earlierOutputs(events, isWholeValue, place);
  if (source.version === flow.version) return { earlier, edited: new Set(), isUntrusted, inRound };
  const before = await flowAt(flow.id, source.version);
  const edited =
    before === undefined
      ? new Map(Object.keys(flow.flow.nodes).map((id) => [id, 'that run’s version of the flow is not known']))
      : editedNodes(before, flow.flow);
  for (const [node, lack] of edited) if (node !== source.trigger) earlier.set(node, { lack });
  edited.delete(source.trigger);
  const isSame = (place: string): boolean => !edited.has(/^\w+/.exec(place)?.[0] ?? '');
  return {
    earlier,
    edited: new Set(edited.keys()),
    isUntrusted,
    inRound: (place) => (isSame(place) ? inRound(place) : new Map<string, Earlier>()),
  };
}

const NOTHING_EARLIER = {
  earlier: new Map<string, Earlier>(),
  edited: new Set<string>(),
  isUntrusted: false,
  inRound: (): Map<string, Earlier> => new Map(),
};

// ------------------------------------------------------------------------------------------------- names

function checkNames(plan: Plan, { only, from, outputs = {} }: PartialWish): void {
  if (only !== undefined && from !== undefined)
    throw refusal('from', 'Give either `only` or `from`, not both.');
  for (const [param, node] of Object.entries({ only, from }))
    if (node !== undefined) checkNode(plan, param, node);
  for (const [node, ports] of Object.entries(outputs)) {
    checkNode(plan, `outputs.${node}`, node);
    if (node === plan.trigger)
      throw refusal(`outputs.${node}`, `Give what ${node} should start with as \`input\`.`);
    const known = stepOf(plan, node)?.ports ?? [];
    const wrong = Object.keys(ports).find((port) => !known.includes(port));
    if (wrong !== undefined)
      throw refusal(
        `outputs.${node}`,
        `${node} has no output ${wrong}; it has ${known.join(', ') || 'none'}.`,
      );
  }
}

function checkNode(plan: Plan, param: string, node: string): void {
  if (stepOf(plan, node)) return;
  const nodes = plan.steps.map(({ id }) => id).join(', ');
  throw refusal(param, `A run from ${plan.trigger} has no node ${node}; its nodes: ${nodes}.`);
}

/** Pins are stored with the flow; pins of removed nodes and ports have no effect. */
function pinsWithin(plan: Plan, pins: NodeOutputs): NodeOutputs {
  const kept = Object.entries(pins).flatMap(([node, pinned]) => {
    const step = node === plan.trigger ? undefined : stepOf(plan, node);
    if (step === undefined) return [];
    return [
      [
        node,
        Object.fromEntries(Object.entries(pinned).filter(([port]) => step.ports.includes(port))),
      ] as const,
    ];
  });
  return Object.fromEntries(kept);
}

/** The step of a node, in bodies too; the start of a body is none. */
function stepOf(plan: Plan, node: string): Step | undefined {
  const around = stepsAround(plan, node);
  const holder = around?.at(-1)?.body?.plan ?? plan;
  const isBodyStart = holder !== plan && holder.trigger === node;
  return around === undefined || isBodyStart ? undefined : holder.steps.find(({ id }) => id === node);
}
