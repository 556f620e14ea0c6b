import type { Catalog } from '#shared/catalog.ts';
import { type Flow, type FlowEdge, type FlowNode, ID_PATTERN, splitPortRef } from '#shared/flow.ts';
import { renameNodeInTemplate, renameNodesInTemplate } from '../expr/index.ts';
import { changeTemplates } from './change-templates.ts';
import { RESERVED_IDS } from './reserved-ids.ts';

/**
 * The flow with a node renamed, including its edges and all expressions that read it. The same flow if there is no such
 * node, or if the new id is taken or not allowed. With a catalog, params in which `{{ }}` is plain text stay as they are.
 */
export function renameNode(flow: Flow, from: string, to: string, catalog?: Catalog): Flow {
  if (!Object.hasOwn(flow.nodes, from) || Object.hasOwn(flow.nodes, to)) return flow;
  if (!ID_PATTERN.test(to) || RESERVED_IDS.includes(to)) return flow;
  const nodes = Object.entries(flow.nodes).map(([id, node]): [string, FlowNode] => [
    id === from ? to : id,
    changeTemplates(node, catalog, (text) => renameNodeInTemplate(text, from, to)),
  ]);
  return {
    ...flow,
    nodes: Object.fromEntries(nodes),
    edges: flow.edges.map((edge) => renameInEdge(edge, from, to)),
  };
}

/**
 * Gives nodes new ids (`names` maps old to new) and updates the expressions in which they read each other. Each text is parsed
 * once, however many nodes are renamed. The new ids must be allowed and different.
 */
export function renameNodes(
  nodes: Readonly<Record<string, FlowNode>>,
  names: ReadonlyMap<string, string>,
): Record<string, FlowNode> {
  const renamed = Object.entries(nodes).map(([id, node]) => [
    names.get(id) ?? id,
    changeTemplates(node, undefined, (text) => renameNodesInTemplate(text, names)),
  ]);
  return Object.fromEntries(renamed);
}

function renameInEdge(edge: FlowEdge, from: string, to: string): FlowEdge {
  const renamed = (ref: string) => {
    const { node, port } = splitPortRef(ref);
    return node === from ? `${to}.${port}` : ref;
  };
  return { ...edge, from: renamed(edge.from), to: renamed(edge.to) };
}
