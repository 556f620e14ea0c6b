import type { Catalog, OperatorInfo } from '#shared/catalog.ts';
import { MAX_BODY_DEPTH } from '#shared/flow.ts';
import { catalogOfBody, type FlowKind, flowGraph, outputKinds, topologicalOrder } from '#engine/check';
import { fittingOperators, inputPort } from './connect.ts';
import { type Doc, type EdgeId, edgeId } from './document.ts';
import { nodeOf } from './edit.ts';
import { flatFlow, holderOf, holdersOf } from './flat.ts';

/** Where a new node goes: onto the free end of a wire, or into an edge. Without either, it is not connected. */
export interface Spot {
  readonly wire?: { readonly from?: string; readonly to?: string };
  readonly edge?: string;
  /** The container whose body it goes into, if neither says; the flow itself without one. */
  readonly holder?: string | undefined;
}

/** The container whose body a new node goes into; undefined for the flow itself. */
export function holderAt({ flow }: Doc, { edge, wire, holder }: Spot): string | undefined {
  const beside = edge ?? wire?.from ?? wire?.to;
  return beside === undefined ? holder : holderOf(flow, nodeOf(beside));
}

/** An operator that fits a spot, with the ports by which it gets connected. */
export interface Fit {
  readonly type: string;
  readonly input?: string;
  readonly output?: string;
}

/** Operators that fit a spot, in the catalog's order; all of them if nothing gets connected. */
export function operatorsFor(doc: Doc, catalog: Catalog, spot: Spot): Fit[] {
  const holder = holderAt(doc, spot);
  const edge = spot.edge === undefined ? undefined : edgeOf(doc, spot.edge as EdgeId);
  const from = edge?.from ?? spot.wire?.from;
  const to = edge?.to ?? spot.wire?.to;
  const inputs = from === undefined ? undefined : ports(catalog, 'from-output', [kindOf(doc, catalog, from)]);
  const outputs = to === undefined ? undefined : ports(catalog, 'to-input', kindsTaken(doc, catalog, to));
  return Object.entries(catalog.operators).flatMap(([type, info]): Fit[] => {
    if (!isOffered(info, holder !== undefined) || !hasRoomFor(doc, info, holder)) return [];
    const input = inputs?.get(type);
    const output = outputs?.get(type);
    if ((inputs && !input) || (outputs && !output)) return [];
    return [{ type, ...(input && { input }), ...(output && { output }) }];
  });
}

/**
 * An inline function belongs to its own flow. A body is started by the node around it, and only the flow itself answers.
 */
function isOffered({ flow, trigger, respond }: OperatorInfo, isInBody: boolean): boolean {
  return flow === undefined && !(isInBody && (trigger || respond));
}

/** Whether the node may stand there with the body that it begins with. */
export function hasRoomFor({ flow }: Doc, { body }: OperatorInfo, holder: string | undefined): boolean {
  const begins = body === 'usual' || body === 'required';
  return !begins || holder === undefined || holdersOf(flow, holder).length + 1 < MAX_BODY_DEPTH;
}

function edgeOf(doc: Doc, id: EdgeId): { from: string; to: string } | undefined {
  return flatFlow(doc.flow).edges.find((edge) => edgeId(edge) === id);
}

function kindOf(doc: Doc, catalog: Catalog, from: string): FlowKind {
  const flow = flatFlow(doc.flow);
  const graph = flowGraph(flow);
  const { order } = topologicalOrder(graph);
  return outputKinds(flow, graph, order, catalogOfBody(catalog)).get(from) ?? 'value';
}

function kindsTaken(doc: Doc, catalog: Catalog, to: string): FlowKind[] {
  const kind = inputPort(doc, catalog, to)?.kind ?? 'either';
  return kind === 'either' ? ['value', 'stream'] : [kind];
}

function ports(
  catalog: Catalog,
  direction: 'from-output' | 'to-input',
  kinds: readonly FlowKind[],
): Map<string, string> {
  const found = new Map<string, string>();
  for (const kind of kinds) {
    for (const { type, port } of fittingOperators(catalog, { direction, kind })) {
      if (!found.has(type)) found.set(type, port);
    }
  }
  return found;
}
