import pino from 'pino';
import {
  compile,
  type Host,
  makeRegistry,
  type Operator,
  type Outcome,
  type Registry,
  type Run,
  type RunAnswer,
  type Services,
} from '#engine';
import type { Flow, FlowNode, FlowSettings } from '#shared/flow.ts';
import { createHost } from '../../../base/adapters/node-host.ts';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { RunHub } from '../run-types.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import type { Redactor } from '../../../base/secrets/redactor.ts';
import { createMemoryState } from '../../state/memory-state.ts';
import { createMemoryHistory } from '../../history/memory-history.ts';
import { createRunHub } from '../run-hub.ts';
import { createSubFlows, type SubFlows } from '../../starts/sub-flows.ts';

/** Flows that can call each other, over the real engine and the real clock, without files and HTTP. */
export interface FlowBed {
  readonly hub: RunHub;
  readonly subFlows: SubFlows;
  readonly host: Host;
  readonly registry: Registry;
  live(id: string): LiveFlow;
  /** Starts a flow at a trigger; the only one, or `trigger`. */
  start(flow: string, input: unknown, trigger?: string): Run;
  /** Runs a flow to its end and returns the body of its answer. Throws the error of its answer. */
  result(flow: string, input: unknown): Promise<unknown>;
}

const builtIns = loadOperators({ builtIn: true });

export interface FlowBedOptions {
  readonly maxRuns?: number;
  /** The clock; the real one by default. */
  readonly now?: () => number;
  /** The timers; the real ones by default. */
  readonly timer?: Host['timer'];
  /** Masks secrets in recorded data. */
  readonly redactor?: Redactor;
  /** Operators besides the built-in ones. */
  readonly operators?: Readonly<Record<string, Operator>>;
  /** Services besides state and flows. */
  readonly services?: (parts: Pick<FlowBed, 'live' | 'subFlows'>) => Services;
}

export async function createFlowBed(flows: readonly Flow[], options: FlowBedOptions = {}): Promise<FlowBed> {
  const { registry } = await builtIns;
  const operators = new Map([...registry.operators, ...Object.entries(options.operators ?? {})]);
  const all = options.operators ? makeRegistry(operators) : registry;
  const lives = new Map(
    flows.map((flow): [string, LiveFlow] => {
      const compiled = compile(flow, 'v1', all, expressionTools('UTC'));
      return [flow.id, { id: flow.id, version: 'v1', flow, compiled }];
    }),
  );
  const services: { -readonly [K in keyof Services]: Services[K] } = { state: createMemoryState(Date.now) };
  const host: Host = {
    ...createHost(services),
    ...(options.now && { now: options.now }),
    ...(options.timer && { timer: options.timer }),
  };
  const hub = createRunHub({
    host,
    log: pino({ level: 'silent' }),
    history: createMemoryHistory(),
    maxRuns: options.maxRuns ?? 100,
    redactor: options.redactor,
    variables: () => ({}),
  });
  const subFlows = createSubFlows({ live: (id) => lives.get(id), runs: hub });
  services.flows = subFlows;

  const live = (id: string): LiveFlow => lives.get(id) as LiveFlow;
  Object.assign(services, options.services?.({ live, subFlows }));
  const start: FlowBed['start'] = (id, output, named) => {
    const flow = live(id);
    const trigger = named ?? (flow.compiled.plans.has('trigger') ? 'trigger' : firstOf(flow));
    return hub.start({ flow, trigger, request: {}, output, source: 'manual' });
  };
  return {
    hub,
    subFlows,
    host,
    registry: all,
    live,
    start,
    result: async (flow, input) => (await endOf(start(flow, input))).body,
  };
}

function firstOf({ compiled }: LiveFlow): string {
  return compiled.plans.keys().next().value as string;
}

/** How a run ended, and the body of its answer. Throws the error of its answer. */
export async function endOf(run: Run): Promise<{ outcome: Outcome; body: unknown }> {
  const answer = await new Promise<RunAnswer>((resolve) => run.onAnswer(resolve));
  if (answer.kind === 'error') throw Object.assign(new Error(answer.error.message), answer.error);
  const outcome = await new Promise<Outcome>((resolve) => run.onEnd(resolve));
  return { outcome, body: answer.kind === 'value' ? answer.body : undefined };
}

/** A flow with a manual trigger called `trigger` and a chain of the given nodes. */
export function rowFlow(
  id: string,
  nodes: Readonly<Record<string, FlowNode>>,
  settings: FlowSettings = {},
): Flow {
  const names = ['trigger', ...Object.keys(nodes)];
  return {
    format: 1,
    id,
    nodes: { trigger: { operator: 'trigger.manual' }, ...nodes },
    edges: names.slice(1).map((to, i) => ({ from: `${names[i]}.out`, to: `${to}.in` })),
    settings,
  };
}

/** A flow that returns the value of an expression over `input`. */
export function mapFlow(id: string, value: unknown): Flow {
  return rowFlow(id, { map: { operator: 'core.map', params: { value } } });
}

export function callNode(flow: string, more: Readonly<Record<string, unknown>> = {}): FlowNode {
  return { operator: 'flow.call', params: { flow, ...more } };
}
