import type { Catalog } from '#shared/catalog.ts';
import { type Flow, type FlowBody, type FlowEdge, type FlowNode, ID_PATTERN } from '#shared/flow.ts';
import { renameInTemplate } from '../expr/index.ts';
import { allNodes, mapNodes } from './bodies.ts';
import { changeTemplates } from './change-templates.ts';
import { operatorInfo, plainOutputs, portsOf } from './ports.ts';

/** A port of a node that a param names, such as a case of a switch. */
export interface NamedPort {
  readonly node: string;
  readonly side: 'input' | 'output';
}

/**
 * Renames a port wherever it is used: in edges, the node's fallback, and all expressions that read it. The caller changes
 * the param that names the port; `flow` is the flow before that. The same flow if the new name is not allowed, or if another
 * port or edge has it already.
 */
export function renamePort(
  flow: Flow,
  port: NamedPort,
  [from, to]: readonly [from: string, to: string],
  catalog: Catalog,
): Flow {
  const node = allNodes(flow)[port.node];
  const info = node && operatorInfo(catalog, node.operator);
  if (!node || !info || from === to || !ID_PATTERN.test(to)) return flow;
  const ports = portsOf(node, info);
  const names = (port.side === 'input' ? ports.inputs : ports.outputs).map(({ name }) => name);
  const end = port.side === 'input' ? 'to' : 'from';
  const [old, fresh] = [`${port.node}.${from}`, `${port.node}.${to}`];
  const isTaken = (edges: readonly FlowEdge[]) => edges.some((edge) => edge[end] === fresh);
  if (names.includes(to) || isTaken(flow.edges)) return flow;
  const renamed = (edges: readonly FlowEdge[]) =>
    edges.map((edge) => (edge[end] === old ? { ...edge, [end]: fresh } : edge));
  // The value of a node's only output is the node's own value, read without the name of the port.
  const isNamed = port.side === 'input' || plainOutputs(ports).length > 1;
  const path = port.side === 'input' ? ['inputs', from] : ['nodes', port.node, from];
  const read = (id: string, one: FlowNode) =>
    isNamed && (port.side === 'output' || id === port.node)
      ? changeTemplates(one, catalog, (text) => renameInTemplate(text, path, to))
      : one;
  const change = (id: string, one: FlowNode) =>
    read(id, id === port.node && port.side === 'output' ? renameFallback(one, from, to) : one);
  const inBody = (body: FlowBody) => ({ ...body, edges: renamed(body.edges) });
  return { ...flow, nodes: mapNodes(flow.nodes, change, inBody), edges: renamed(flow.edges) };
}

function renameFallback(node: FlowNode, from: string, to: string): FlowNode {
  const { fallback } = node;
  if (!fallback || !Object.hasOwn(fallback, from)) return node;
  const entries = Object.entries(fallback).map(([port, value]) => [port === from ? to : port, value]);
  return { ...node, fallback: Object.fromEntries(entries) as FlowNode['fallback'] };
}
