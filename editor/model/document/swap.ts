import { current, type Draft } from 'immer';
import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import type { FlowEdge, FlowNode } from '#shared/flow.ts';
import { portsOf } from '#engine/check';
import { faultOf, schemaFields } from '../form/schema-form.ts';
import { mayConnect } from './connect.ts';
import { type Doc, edgeId } from './document.ts';
import { addEdge, initialParams, nodeOf, portOf, removeEdges } from './edit.ts';
import { flatFlow, type Graph, graphOf, nodeIn } from './flat.ts';

/** The parts of a node that another operator does not take over. */
export interface Dropped {
  /** Names of settings. */
  readonly settings: readonly string[];
  readonly edges: readonly FlowEdge[];
}

/**
 * Gives a node another operator. Its id, name and general settings stay, and so do params of the same name whose values fit, and
 * edges that lead to a port of the same name, or to the first port that takes them.
 */
export function swapOperator(draft: Draft<Doc>, catalog: Catalog, id: string, info: OperatorInfo): Dropped {
  const node = nodeIn((current(draft) as Doc).flow, id);
  const graph = graphOf(draft.flow as Graph, id);
  if (!node || !graph) return { settings: [], edges: [] };
  const { params = {}, operator: _, ...rest } = node;
  const fields = schemaFields(info.params);
  const kept = Object.entries(params).filter(([name, value]) => {
    const field = fields.find((one) => one.name === name);
    return field !== undefined && faultOf(field, value) === undefined;
  });
  const merged = { ...initialParams(info), ...Object.fromEntries(kept) };
  graph.nodes[id] = {
    ...rest,
    operator: info.type,
    ...(Object.keys(merged).length > 0 && { params: merged }),
  } as FlowNode;
  const names = new Set(kept.map(([name]) => name));
  return {
    settings: Object.keys(params).filter((name) => !names.has(name)),
    edges: reconnect(draft, catalog, id),
  };
}

/** Leads the edges of a node to the ports that it has now; returns those for which there is none. */
function reconnect(draft: Draft<Doc>, catalog: Catalog, id: string): readonly FlowEdge[] {
  const { edges } = flatFlow((current(draft) as Doc).flow);
  const own = edges.filter((e) => nodeOf(e.from) === id || nodeOf(e.to) === id);
  removeEdges(draft, own.map(edgeId));
  const lost: FlowEdge[] = [];
  for (const edge of own) {
    const fitting = candidates(current(draft) as Doc, catalog, id, edge).find(
      ({ from, to }) => mayConnect(current(draft) as Doc, catalog, from, to).ok,
    );
    if (fitting) addEdge(draft, { ...edge, ...fitting });
    else lost.push(edge);
  }
  return lost;
}

/** The places to which an edge may lead, that of the same name first. */
function candidates(doc: Doc, catalog: Catalog, id: string, edge: FlowEdge): Pick<FlowEdge, 'from' | 'to'>[] {
  const node = nodeIn(doc.flow, id) as FlowNode;
  const { inputs, outputs } = portsOf(node, catalog.operators[node.operator] as OperatorInfo);
  const leaves = nodeOf(edge.from) === id;
  const name = portOf(leaves ? edge.from : edge.to);
  const ports = (leaves ? outputs : inputs).map((port) => port.name);
  const ordered = [...ports.filter((port) => port === name), ...ports.filter((port) => port !== name)];
  return ordered.map((port) =>
    leaves ? { from: `${id}.${port}`, to: edge.to } : { from: edge.from, to: `${id}.${port}` },
  );
}
