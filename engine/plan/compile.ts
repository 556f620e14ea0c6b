import { z } from 'zod';
import type { OperatorInfo } from '#shared/catalog.ts';
import { type Flow, type FlowBody, type FlowNode, ITEMS_AT_ONCE, splitPortRef } from '#shared/flow.ts';
import { withoutDirectionMarks } from '#shared/direction-marks.ts';
import { hidesAnything } from '#shared/json-schema.ts';
import { joinRegistries, type Registry } from '../catalog/registry.ts';
import { WeftError } from '../base/errors.ts';
import type { Env } from '../expr/index.ts';
import { BODY_START, catalogOfBody, flowOfBody } from '../flow/bodies.ts';
import { effectsOf, mayBeGiven, readsRun } from '../flow/by-param.ts';
import {
  type EdgeLabel,
  type FlowGraph,
  makingGraph,
  incoming,
  outgoing,
  runScope,
  topologicalOrder,
} from '../flow/graph.ts';
import { ERROR_PORT, type FlowKind, itemPort, outputKinds, type Ports, portsOf } from '../flow/ports.ts';
import { parsePath } from '../flow/field-path.ts';
import { lazyNodes } from '../flow/lazy-inputs.ts';
import { isAsyncFunction } from '../base/is-promise.ts';
import { defineOperator, type Operator, output } from '../base/operator.ts';
import { finished, type Steps } from '../base/steps.ts';
import { nodeEnv, type Places, timezoneOf, type Tools } from './env.ts';
import { compileParams, templateEvaluator } from './params.ts';
import {
  type Binding,
  type CompiledFlow,
  DEAD,
  type Earlier,
  type Picked,
  type Plan,
  type Step,
  type StepBody,
  type StepCache,
  type StepEach,
  type StepScope,
  UNSET,
} from './plan.ts';

interface Source {
  readonly flow: Flow;
  readonly version: string;
  readonly registry: Registry;
  readonly tools: Tools;
  readonly graph: FlowGraph;
  readonly order: readonly string[];
  readonly kinds: ReadonlyMap<string, FlowKind>;
  readonly nodes: ReadonlyMap<string, NodeParts>;
  readonly lazy: Lazy;
  /** For a body: the nodes around it that it may read, from the outermost on. */
  readonly outside: ReadonlyMap<string, NodeParts>;
}

/** The edges that a node waits for before it is needed, and the nodes that wait so, by the node that the edge leaves. */
interface Lazy {
  readonly after: ReadonlyMap<string, readonly EdgeLabel[]>;
  readonly waiting: ReadonlyMap<string, readonly string[]>;
}

interface NodeParts {
  readonly node: FlowNode;
  readonly info: OperatorInfo;
  readonly operator: Operator;
  readonly ports: Ports;
}

/**
 * Compiles a flow that `check` found without errors; throws `flow_invalid` or `bad_params` for one that `check` would have refused.
 * `version` is the hash of the flow's canonical text.
 */
export function compile(flow: Flow, version: string, registry: Registry, tools: Tools): CompiledFlow {
  return finished(compiling(flow, version, registry, tools));
}

/** The same in steps of some nodes each. */
export function* compiling(
  flow: Flow,
  version: string,
  registry: Registry,
  tools: Tools,
): Steps<CompiledFlow> {
  const source = yield* sourceOf(flow, { version, registry, tools, outside: new Map() });
  const plans = new Map<string, Plan>();
  for (const id of source.order) {
    if (isTrigger(source, id) && !flow.nodes[id]?.disabled)
      plans.set(id, yield* compilePlan(source, placesOf(source, id)));
  }
  return { id: flow.id, version, plans };
}

function* sourceOf(
  flow: Flow,
  around: Pick<Source, 'version' | 'registry' | 'tools' | 'outside'>,
): Steps<Source> {
  const { registry } = around;
  const graph = yield* makingGraph(flow);
  const { order, rest } = topologicalOrder(graph);
  if (rest.length > 0) throw new WeftError('flow_invalid', `The flow has a cycle through ${rest[0]}.`);
  yield;
  const nodes = new Map(order.map((id) => [id, nodeParts(flow, id, registry)]));
  yield;
  const kinds = outputKinds(flow, graph, order, registry.catalog);
  return { ...around, flow, graph, order, kinds, nodes, lazy: lazyOf(graph, nodes, kinds) };
}

/** Bodies are small, so they are compiled in one step. */
function compileBody(
  source: Source,
  place: Places,
  body: FlowBody | undefined,
  onRead: (node: string) => void,
): StepBody | undefined {
  if (body === undefined) return undefined;
  const outside = new Map([...source.outside, ...source.nodes]);
  const registry = registryOfBody(source.registry);
  const inner = finished(sourceOf(flowOfBody(source.flow, body), { ...source, registry, outside }));
  const at = placesOf(inner, body.start);
  const plan = finished(compilePlan(inner, at));
  const imports = [...at.imports].map(([output, slot]) => [outerSlot(source, place, output), slot] as const);
  for (const [output] of at.imports) onRead(splitPortRef(output).node);
  return { plan, imports };
}

/** Where an output that a body reads is around it: there, further out, or nowhere in this run. */
function outerSlot(source: Source, place: Places, output: string): number {
  if (source.nodes.has(splitPortRef(output).node)) return place.slot.get(output) ?? 0;
  return place.importSlot(output);
}

/** Kept by their operators, since a registry may get others. */
const registries = new WeakMap<Registry['operators'], Registry>();

/** The registry for a flow that is a body: with the operator of its start. */
function registryOfBody(registry: Registry): Registry {
  if (registry.operators.has(BODY_START)) return registry;
  const known = registries.get(registry.operators);
  if (known) return known;
  const start = { operators: new Map([[BODY_START, bodyStart]]), catalog: { operators: {} } };
  const { operators } = joinRegistries(registry, start);
  const made = { operators, catalog: catalogOfBody(registry.catalog) };
  registries.set(registry.operators, made);
  return made;
}

const bodyStart: Operator = defineOperator({
  title: 'Start of the body',
  doc: 'The item of a loop, the value so far, or the input.',
  icon: 'play',
  params: z.object({}),
  inputs: {},
  outputs: { out: output() },
  effects: 'pure',
  trigger: true,
  examples: [],
}) as unknown as Operator;

function nodeParts(flow: Flow, id: string, registry: Registry): NodeParts {
  const node = flow.nodes[id] as FlowNode;
  const operator = registry.operators.get(node.operator);
  const info = registry.catalog.operators[node.operator];
  if (!operator || !info)
    throw new WeftError('flow_invalid', `${id}: there is no operator ${node.operator}.`);
  return { node, operator, info, ports: portsOf(node, info) };
}

function lazyOf(
  graph: FlowGraph,
  nodes: ReadonlyMap<string, NodeParts>,
  kinds: ReadonlyMap<string, FlowKind>,
): Lazy {
  const after = lazyNodes({
    nodes: nodes.keys(),
    incoming: (id) => incoming(graph, id),
    outgoing: (id) => outgoing(graph, id),
    inputs: (id) => nodes.get(id)?.ports.inputs ?? [],
    isTrigger: (id) => nodes.get(id)?.operator.trigger === true,
    isStream: ({ from, fromPort }) => kinds.get(`${from}.${fromPort}`) === 'stream',
  });
  const waiting = new Map<string, string[]>();
  for (const [id, edges] of after) {
    for (const { from } of edges) {
      const known = waiting.get(from);
      if (known === undefined) waiting.set(from, [id]);
      else known.push(id);
    }
  }
  return { after, waiting };
}

function isTrigger(source: Source, id: string): boolean {
  return source.nodes.get(id)?.operator.trigger === true;
}

function placesOf(source: Source, trigger: string): Places {
  const scope = runScope(source.graph, trigger, (id) => isTrigger(source, id));
  return placeOutputs(
    source,
    source.order.filter((id) => scope.has(id)),
    trigger,
  );
}

function* compilePlan(source: Source, place: Places): Steps<Plan> {
  const { trigger } = place;
  const steps: Step[] = [];
  for (const id of place.index.keys()) {
    yield;
    steps.push(compileStep(source, place, id, steps.length));
  }
  const triggerStep = place.index.get(trigger) as number;
  const params = (steps[triggerStep]?.params ?? {}) as Record<string, unknown>;
  return Object.freeze({
    flow: source.flow.id,
    version: source.version,
    trigger,
    params,
    hidesFields: hidesAnything(params['request']),
    settings: source.flow.settings ?? {},
    timezone: timezoneOf(source),
    steps,
    triggerStep,
    slots: [DEAD, ...Array.from({ length: place.count - 1 }, () => UNSET)],
    open: steps.map(waitsFor),
    roots: steps.filter((s) => s.index !== triggerStep && waitsFor(s) === 0).map((s) => s.index),
    leaves: steps.filter((s) => s.next.length === 0 && s.ports.length > 0 && !s.operator.sink),
    derivable: steps.every((s) => !s.streams && !s.retry && s.body?.plan.derivable !== false),
    asksModels: steps.some((s) => MODEL_OPERATOR.test(s.type) || s.body?.plan.asksModels === true),
    hasRespond: steps.some((s) => s.operator.respond === true && s.disabled === 'no'),
  });
}

/** Models and agents are slow, so runs that use them may take longer. */
const MODEL_OPERATOR = /^(?:model|agent)\./;

/** The number of slots that must settle before the step is ready. */
function waitsFor({ inputs, after = [] }: Step): number {
  const edges = inputs.reduce((n, b) => n + b.sources.filter((slot) => slot !== 0).length, 0);
  return edges + after.length;
}

function placeOutputs(source: Source, ids: readonly string[], trigger: string): Places {
  const index = new Map<string, number>();
  const slot = new Map<string, number>();
  const imports = new Map<string, number>();
  let count = 1;
  for (const id of ids) {
    index.set(id, index.size);
    for (const port of (source.nodes.get(id) as NodeParts).ports.outputs)
      slot.set(`${id}.${port.name}`, count++);
  }
  return {
    trigger,
    index,
    slot,
    imports,
    get count() {
      return count;
    },
    importSlot(output) {
      const known = imports.get(output);
      if (known !== undefined) return known;
      imports.set(output, count);
      return count++;
    },
  };
}

function compileStep(source: Source, place: Places, id: string, index: number): Step {
  const parts = source.nodes.get(id) as NodeParts;
  const { node, operator, info, ports } = parts;
  const inputs = bindInputs(source, place, id, ports);
  const out = outgoing(source.graph, id).filter((e) => place.index.has(e.to));
  const names = ports.outputs.filter((p) => p.name !== ERROR_PORT).map((p) => p.name);
  const first = names[0] === undefined ? -1 : (place.slot.get(`${id}.${names[0]}`) as number);
  const lifted = isLifted(source, id, parts);
  const streamPorts = ports.outputs
    .filter((p) => p.name !== ERROR_PORT)
    .map((p) => source.kinds.get(`${id}.${p.name}`) === 'stream' && mayBeGiven(p, node, info));
  const effects = effectsOf(node, info);
  const read = new Set<string>();
  const env = nodeEnv(source, place, id, (name) => read.add(name));
  const params = compileParams(node.params ?? {}, operator, info, env);
  const body = compileBody(source, place, node.body, (name) => read.add(name));
  const cache = compileCache(
    node,
    info,
    env,
    lifted || streamPorts.includes(true) || takesStream(source, id),
  );
  return {
    index,
    id,
    title: titleOf(node, operator),
    type: node.operator,
    operator,
    inputs,
    source: wholeValue(source, id, inputs),
    picks: inputs.some((input) => input.picks !== undefined),
    out: first,
    ports: names,
    single: Object.keys(operator.outputs).length === 1 && operator.derivedOutputs === undefined,
    errorSlot: place.slot.get(`${id}.${ERROR_PORT}`) ?? -1,
    fanOut: ports.outputs.map((p) => out.filter((e) => e.fromPort === p.name).length),
    after: slotsBefore(source, place, id),
    next: stepsAfter(source, place, id, out),
    reads: [...read].flatMap((name) => place.index.get(name) ?? []),
    params: params.params,
    makeParams: params.makeParams,
    run: operator.run,
    onError: node.onError ?? 'fail',
    fallback: node.fallback,
    retry: node.retry,
    timeoutMs: node.timeoutMs ?? 0,
    cache,
    disabled: node.disabled ? disabledAs(source, id, ports) : 'no',
    effects,
    mayWait: effects !== 'pure' || lifted || mayAwait(parts, cache),
    streams: streamPorts.includes(true),
    streamPorts,
    lifted,
    each: compileEach(node, env),
    gathers: node.each !== undefined,
    body,
  };
}

/** In one line, and without what would turn the text behind it around. */
function titleOf({ name = '' }: FlowNode, { title }: Operator): string {
  return withoutDirectionMarks(name).replace(/\s+/g, ' ').trim() || title;
}

/** The steps at the ends of the edges, and those that wait for this one before they are needed. */
function stepsAfter({ lazy }: Source, place: Places, id: string, out: readonly EdgeLabel[]): number[] {
  const waiting = lazy.waiting.get(id) ?? [];
  return [...out.map(({ to }) => to), ...waiting].flatMap((to) => place.index.get(to) ?? []);
}

/** Undefined for a step that is needed in any case. */
function slotsBefore({ lazy }: Source, place: Places, id: string): Earlier[] | undefined {
  const all = (lazy.after.get(id) ?? []).map((edge) => ({ slot: slotOf(place, edge), pick: pickedBy(edge) }));
  const earlier = all.filter(({ slot }) => slot !== 0);
  return earlier.length === 0 ? undefined : earlier;
}

function pickedBy({ from, fromPort, pick }: EdgeLabel): Picked | undefined {
  if (pick === undefined) return undefined;
  const path = parsePath(pick);
  if (path) return { path, from: `${from}.${fromPort}` };
  throw new WeftError('flow_invalid', `\`${pick}\`, which an edge from ${from} picks, is no path of fields.`);
}

function compileEach({ each }: FlowNode, env: Env<StepScope>): StepEach | undefined {
  if (each === undefined) return undefined;
  const { items, concurrency = ITEMS_AT_ONCE, onItemError = 'fail', maxItems } = each;
  const field = { pattern: '', path: 'each.items', schema: undefined };
  const list = items === undefined ? undefined : templateEvaluator(items, field, env).evaluate;
  return { items: list, concurrency, onItemError, maxItems };
}

function takesStream(source: Source, id: string): boolean {
  return incoming(source.graph, id).some((e) => source.kinds.get(`${e.from}.${e.fromPort}`) === 'stream');
}

/** The slot that feeds the only, single input with a whole value; -1 if there is none, or a stream arrives. */
function wholeValue(source: Source, id: string, inputs: readonly Binding[]): number {
  const [only] = inputs;
  if (takesStream(source, id)) return -1;
  return inputs.length === 1 && only && !only.many && !only.picks ? (only.sources[0] ?? -1) : -1;
}

function bindInputs(source: Source, place: Places, id: string, ports: Ports): Binding[] {
  const edges = incoming(source.graph, id);
  return ports.inputs.map((port) => {
    const into = edges.filter((e) => e.toPort === port.name);
    return {
      name: port.name,
      required: port.required,
      many: port.many,
      sources: into.map((e) => slotOf(place, e)),
      picks: into.some((e) => e.pick !== undefined) ? into.map(pickedBy) : undefined,
      stream: port.kind !== 'value',
    };
  });
}

function slotOf(place: Places, edge: EdgeLabel): number {
  return place.slot.get(`${edge.from}.${edge.fromPort}`) ?? 0;
}

/** Whether a stream arrives at the input whose items the node processes one by one. */
function isLifted(source: Source, id: string, { node, info, ports }: NodeParts): boolean {
  const port = itemPort(node, info, ports);
  return (
    port !== undefined &&
    incoming(source.graph, id).some(
      (e) => e.toPort === port.name && source.kinds.get(`${e.from}.${e.fromPort}`) === 'stream',
    )
  );
}

function disabledAs(source: Source, id: string, ports: Ports): 'pass' | 'skip' {
  const outputs = ports.outputs.filter((p) => p.name !== ERROR_PORT);
  const edges = incoming(source.graph, id);
  if (ports.inputs.length !== 1 || ports.inputs[0]?.many || outputs.length !== 1 || edges.length !== 1)
    return 'skip';
  const edge = edges[0] as EdgeLabel;
  const fits =
    source.kinds.get(`${edge.from}.${edge.fromPort}`) === source.kinds.get(`${id}.${outputs[0]?.name ?? ''}`);
  return fits ? 'pass' : 'skip';
}

/** Whether a pure operator awaits something, runs for many items, or has its outputs on disk. */
function mayAwait({ operator, node }: NodeParts, cache: StepCache | undefined): boolean {
  return isAsyncFunction(operator.run) || node.each !== undefined || cache?.lasting === true;
}

/** Undefined for a node without `cache`. */
function compileCache(
  node: FlowNode,
  info: OperatorInfo,
  env: Env<StepScope>,
  streams: boolean,
): StepCache | undefined {
  const { cache } = node;
  if (cache === undefined) return undefined;
  const field = { pattern: '', path: 'cache.key', schema: undefined };
  const key = cache.key === undefined ? undefined : templateEvaluator(cache.key, field, env).evaluate;
  // Such params are functions, which cannot be compared.
  const isLazy = info.lazyParams.length > 0 && key === undefined;
  const isOpen = key === undefined && readsRun(node, info);
  const refused = streams ? 'stream' : isLazy ? 'lazy-params' : isOpen ? 'reads-run' : undefined;
  const definition = JSON.stringify([node.operator, node.params ?? {}, cache.key ?? null]);
  const lasting = cache.keep === 'disk';
  return { ttlMs: cache.ttlMs ?? Number.POSITIVE_INFINITY, key, refused, definition, lasting };
}

export type { CompiledFlow, Plan, Tools };
