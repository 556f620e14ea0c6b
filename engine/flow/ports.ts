import type { Catalog, DerivedPorts, InputPort, OperatorInfo, OutputPort } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { type FlowGraph, incoming } from './graph.ts';

/** The output that is live in place of all others when a node with `onError: route` fails. */
export const ERROR_PORT = 'error';

/** The ports that a node has with its params. */
export interface Ports {
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
}

/** The ports of a node: the operator's own, those that its params define, and `error` if failures are routed. */
export function portsOf(node: FlowNode, info: OperatorInfo): Ports {
  const inputs = [...info.inputs, ...derived(node, info, info.derivedInputs).map(toInput)];
  const outputs = [...info.outputs, ...derived(node, info, info.derivedOutputs).map(toOutput)];
  if (node.onError === 'route')
    outputs.push({ name: ERROR_PORT, kind: 'value', doc: 'The error, when the node failed.' });
  return { inputs, outputs };
}

/** The outputs that carry results: all but `error`. */
export function plainOutputs(ports: Ports): readonly OutputPort[] {
  return ports.outputs.filter((port) => port.name !== ERROR_PORT);
}

interface DerivedPort {
  name: string;
  required: boolean;
  spec: DerivedPorts;
}

/** Invalid ids are left out; `check` reports the param that holds them. */
function derived(node: FlowNode, info: OperatorInfo, spec: DerivedPorts | undefined): DerivedPort[] {
  const param = spec && paramOf(node, info, spec.param);
  if (!spec || typeof param !== 'object' || param === null) return [];
  const entries: unknown[] = Array.isArray(param) ? param : Object.keys(param);
  const ports = new Map<string, DerivedPort>();
  for (const entry of entries) {
    const port = derivedPort(entry, spec);
    if (port && !ports.has(port.name)) ports.set(port.name, port);
  }
  return [...ports.values()];
}

/** A param as it is written, or its default. */
export function paramOf(node: FlowNode, info: OperatorInfo, param: string): unknown {
  return ownValue(node.params, param) ?? defaultOf(info, param);
}

function defaultOf(info: OperatorInfo, param: string): unknown {
  const properties = info.params['properties'] as Record<string, { default?: unknown }> | undefined;
  return (properties && (ownValue(properties, param) as { default?: unknown } | undefined))?.default;
}

function derivedPort(entry: unknown, spec: DerivedPorts): DerivedPort | undefined {
  const record = typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : undefined;
  const name = record ? ownValue(record, spec.nameKey ?? 'name') : entry;
  if (typeof name !== 'string' || !ID_PATTERN.test(name)) return undefined;
  const required = spec.requiredKey === undefined || ownValue(record, spec.requiredKey) !== false;
  return { name, required, spec };
}

function ownValue(record: Readonly<Record<string, unknown>> | undefined, key: string): unknown {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

function toInput({ name, required, spec }: DerivedPort): InputPort {
  return { name, required, kind: spec.kind, ...(spec.doc && { doc: spec.doc }) };
}

function toOutput({ name, spec }: DerivedPort): OutputPort {
  return { name, kind: spec.kind, ...(spec.doc && { doc: spec.doc }) };
}

/** The operator's description; undefined for a type that the catalog lacks, even one such as `toString`. */
export function operatorInfo(catalog: Catalog, type: string): OperatorInfo | undefined {
  return Object.hasOwn(catalog.operators, type) ? catalog.operators[type] : undefined;
}

/** One value, or a stream of items. */
export type FlowKind = 'value' | 'stream';

/**
 * The kind of each output, by `node.port`: an `either` output follows its node's input, and a node that runs for the items of a
 * stream outputs streams. `order` is the flow's topological order.
 */
export function outputKinds(
  flow: Flow,
  graph: FlowGraph,
  order: readonly string[],
  catalog: Catalog,
): Map<string, FlowKind> {
  const kinds = new Map<string, FlowKind>();
  for (const id of order) {
    const node = flow.nodes[id] as FlowNode;
    const info = operatorInfo(catalog, node.operator);
    if (!info) continue;
    const ports = portsOf(node, info);
    const byItem = itemPort(node, info, ports);
    const streamed = incoming(graph, id).some((e) => {
      const port = ports.inputs.find((p) => p.name === e.toPort);
      return (
        kinds.get(`${e.from}.${e.fromPort}`) === 'stream' &&
        (port === byItem || (node.each === undefined && port?.kind === 'either'))
      );
    });
    for (const port of ports.outputs) kinds.set(`${id}.${port.name}`, outputKind(port, node, info, streamed));
  }
  return kinds;
}

/**
 * The input whose items the node processes one by one: the first one of a node with `each`, and the only one of an operator with
 * `lift`, which processes the items of a stream.
 */
export function itemPort(
  { each }: Pick<FlowNode, 'each'>,
  { lift }: Pick<OperatorInfo, 'lift'>,
  { inputs }: Pick<Ports, 'inputs'>,
): InputPort | undefined {
  const [port] = inputs;
  if (port === undefined || port.many !== undefined || port.kind === 'stream') return undefined;
  if (each !== undefined) return port;
  return lift && inputs.length === 1 && port.kind === 'value' ? port : undefined;
}

function outputKind(port: OutputPort, node: FlowNode, info: OperatorInfo, streamed: boolean): FlowKind {
  if (port.name === ERROR_PORT) return 'value';
  if (node.each !== undefined) return streamed ? 'stream' : 'value';
  if (port.kind === 'either') return streamed ? 'stream' : 'value';
  if (info.lift && streamed && port.kind === 'value') return 'stream';
  return port.kind;
}
