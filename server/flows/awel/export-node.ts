import { operatorInfo, portsOf } from '#engine/check';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { type FlowNode, splitPortRef } from '#shared/flow.ts';
import { isRecord } from '#shared/json.ts';
import { AwelData } from './awel-flow.ts';
import { ANY, type AwelParameterInfo, operatorMetadata, portMetadata } from './metadata.ts';
import { portNames } from './names.ts';

/** The ports of a node by name, in the order in which the edges of DB-GPT's JSON count them. */
export interface NodePorts {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** A node's `data`. Its key `weft` contains the node as in the flow file, so that an import loses nothing. */
export type NodeData = Record<string, unknown>;

interface Used {
  readonly inputs: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
}

export interface ExportedNode {
  readonly data: NodeData;
  readonly ports: NodePorts;
}

/** `used`: the ports that edges end at, which are listed even if the operator has none of that name. */
export function exportNode(id: string, node: FlowNode, used: Used, catalog: Catalog): ExportedNode {
  const info = operatorInfo(catalog, node.operator);
  const described = info ? describe(node, info) : describeUnknown(node);
  const inputs = withUsed(described['inputs'], used.inputs);
  const outputs = withUsed(described['outputs'], used.outputs);
  const shown = { ...described, custom_label: node.name ?? described['custom_label'] ?? null };
  const data = { ...shown, inputs, outputs, weft: { node } };
  return {
    data: { ...data, id: described['id'] ?? id },
    ports: { inputs: names(inputs, 'in'), outputs: names(outputs, 'out') },
  };
}

/** The description of the operator with the node's values and ports. */
function describe(node: FlowNode, info: OperatorInfo): NodeData {
  const { parameters, ...metadata } = operatorMetadata(info);
  const { inputs, outputs } = portsOf(node, info);
  return {
    ...metadata,
    parameters: parameters.map((parameter) => parameterWith(parameter, shownValue(node, parameter.name))),
    inputs: inputs.map(portMetadata),
    outputs: outputs.map(portMetadata),
  };
}

/** A parameter with a value; its type is Any if the client would convert the value, such as an expression. */
function parameterWith(parameter: AwelParameterInfo, value: unknown): AwelParameterInfo {
  const keeps = value === null || (!parameter.is_list && isKept(value, parameter.type_cls));
  return keeps ? { ...parameter, value } : { ...parameter, ...ANY, is_list: false, value };
}

function isKept(value: unknown, typeCls: string): boolean {
  switch (typeCls) {
    case 'builtins.str':
      return typeof value === 'string';
    case 'builtins.int':
      return Number.isInteger(value);
    case 'builtins.float':
      return typeof value === 'number';
    case 'builtins.bool':
      return typeof value === 'boolean';
    default:
      return true;
  }
}

/** The `value` of a parameter for this node. */
export function shownValue(node: FlowNode, param: string): unknown {
  const { params } = node;
  return params && Object.hasOwn(params, param) ? (params[param] ?? null) : null;
}

/**
 * A node that was imported and has no counterpart is exported unchanged; others are exported as far as they are
 * known.
 */
function describeUnknown(node: FlowNode): NodeData {
  const awel = isRecord(node['awel']) ? node['awel'] : {};
  const kept = AwelData.safeParse(awel['data']).data ?? {};
  const { operator } = node;
  return {
    label: node.name ?? operator,
    name: operator,
    description: '',
    category: 'common',
    flow_type: 'operator',
    parameters: [],
    version: 'v1',
    ...kept,
  };
}

function withUsed(ports: unknown, used: ReadonlySet<string>): NodeData[] {
  const listed = Array.isArray(ports) ? ports.filter(isRecord) : [];
  const known = names(listed, '');
  const more = [...used].filter((name) => !known.includes(name));
  return [...listed, ...more.map((name) => ({ ...portMetadata({ name, kind: 'value' }) }))];
}

function names(ports: readonly NodeData[], otherwise: string): string[] {
  return portNames(ports as { name?: string }[], otherwise);
}

/** The ports that edges use, by node. */
export function usedPorts(edges: readonly { from: string; to: string }[]): (node: string) => Used {
  const inputs = new Map<string, Set<string>>();
  const outputs = new Map<string, Set<string>>();
  for (const { from, to } of edges) {
    add(outputs, from);
    add(inputs, to);
  }
  const none: ReadonlySet<string> = new Set();
  return (node) => ({ inputs: inputs.get(node) ?? none, outputs: outputs.get(node) ?? none });
}

function add(ports: Map<string, Set<string>>, ref: string): void {
  const { node, port } = splitPortRef(ref);
  const known = ports.get(node);
  if (known) known.add(port);
  else ports.set(node, new Set([port]));
}
