import type { Catalog } from '#shared/catalog.ts';
import {
  type Flow,
  type FlowBody,
  type FlowEdge,
  type FlowNode,
  ID_PATTERN,
  splitPortRef,
} from '#shared/flow.ts';
import { renameNodeInTemplate, renameNodesInTemplate } from '../expr/index.ts';
import { usedIds } from './bodies.ts';
import { changeTemplates } from './change-templates.ts';
import { RESERVED_IDS } from './parse.ts';

/**
 * The flow with a node renamed, including its edges and all expressions that read it. The same flow if there is no such
 * node, or if the new id is taken or not allowed. With a catalog, params in which `{{ }}` is plain text stay as they are.
 */
export function renameNode(flow: Flow, from: string, to: string, catalog?: Catalog): Flow {
  const used = usedIds(flow);
  if (!used.has(from) || used.has(to)) return flow;
  if (!ID_PATTERN.test(to) || RESERVED_IDS.includes(to)) return flow;
  return { ...flow, ...renamedIn(flow) };

  function renamedIn<T extends Pick<Flow, 'nodes' | 'edges'>>({
    nodes,
    edges,
  }: T): Pick<Flow, 'nodes' | 'edges'> {
    const renamed = Object.entries(nodes).map(([id, node]): [string, FlowNode] => {
      const changed = changeTemplates(node, catalog, (text) => renameNodeInTemplate(text, from, to));
      const { body } = changed;
      if (!body) return [id === from ? to : id, changed];
      const inner = { ...body, start: body.start === from ? to : body.start, ...renamedIn(body) };
      return [id === from ? to : id, { ...changed, body: inner }];
    });
    return { nodes: Object.fromEntries(renamed), edges: edges.map((edge) => renameInEdge(edge, from, to)) };
  }
}

/**
 * Gives nodes and starts of bodies new ids (`names` maps old to new) and updates the expressions in which they read each other, and the
 * edges of bodies. Each text is parsed once, however many nodes are renamed. The new ids must be allowed and different.
 */
export function renameNodes(
  nodes: Readonly<Record<string, FlowNode>>,
  names: ReadonlyMap<string, string>,
): Record<string, FlowNode> {
  const renamed = Object.entries(nodes).map(([id, node]) => {
    const changed = changeTemplates(node, undefined, (text) => renameNodesInTemplate(text, names));
    const { body } = changed;
    return [names.get(id) ?? id, body ? { ...changed, body: renamedBody(body, names) } : changed];
  });
  return Object.fromEntries(renamed);
}

function renamedBody(body: FlowBody, names: ReadonlyMap<string, string>): FlowBody {
  const renamed = (ref: string) => {
    const { node, port } = splitPortRef(ref);
    return `${names.get(node) ?? node}.${port}`;
  };
  return {
    ...body,
    start: names.get(body.start) ?? body.start,
    nodes: renameNodes(body.nodes, names),
    edges: body.edges.map((edge) => ({ ...edge, from: renamed(edge.from), to: renamed(edge.to) })),
  };
}

function renameInEdge(edge: FlowEdge, from: string, to: string): FlowEdge {
  const renamed = (ref: string) => {
    const { node, port } = splitPortRef(ref);
    return node === from ? `${to}.${port}` : ref;
  };
  return { ...edge, from: renamed(edge.from), to: renamed(edge.to) };
}
