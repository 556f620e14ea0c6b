import type { Catalog, InputPort, OutputPort } from '#shared/catalog.ts';
import {
  catalogOfBody,
  type FlowKind,
  flowGraph,
  itemPort,
  outputKinds,
  portsOf,
  reach,
  topologicalOrder,
} from '#engine/check';
import type { Doc } from './document.ts';
import { infoOf, nodeOf, portOf } from './edit.ts';
import { flatDoc, flatFlow, holderOf, holdersOf } from './flat.ts';
import { titleOf } from './geometry.ts';

/** Whether an edge may be drawn, and if not, why, in words for the person who draws it. */
export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const fine: Verdict = { ok: true };
const no = (reason: string): Verdict => ({ ok: false, reason });

/** The end of a wire that is already fixed: an output (`from`) or an input (`to`), as `node.port`. */
export type WireEnd = { readonly from: string } | { readonly to: string };

export function mayConnect(doc: Doc, catalog: Catalog, from: string, to: string): Verdict {
  return verdictsFor(doc, catalog, { from })(to);
}

/**
 * Decides for every port whether a wire could go to it. The graph is walked once, here, so that a whole canvas of ports can
 * be checked while the wire is dragged.
 */
export function verdictsFor(nested: Doc, catalog: Catalog, end: WireEnd): (other: string) => Verdict {
  const doc = flatDoc(nested);
  const graph = flowGraph(doc.flow);
  const kinds = outputKinds(doc.flow, graph, topologicalOrder(graph).order, catalogOfBody(catalog));
  const starts = 'from' in end;
  const own = nodeOf(starts ? end.from : end.to);
  // Nodes before the node of an output, or after the node of an input: an edge to one of these closes a cycle.
  const looping = reach(graph, [own], starts);
  return (other) => {
    const [from, to] = starts ? [end.from, other] : [other, end.to];
    const source = outputPort(doc, catalog, from);
    const target = inputPort(doc, catalog, to);
    if (!source || !target) return no('There is no such port.');
    if (nodeOf(from) === nodeOf(to)) return no('A node cannot feed itself.');
    if (looping.has(nodeOf(other))) return no('This would close a cycle: a flow only runs forward.');
    return (
      acrossFrame(doc, catalog, from, to) ??
      fitsCount(doc, from, to, target) ??
      fitsKind(doc, catalog, { kind: kinds.get(from), to, target }) ??
      fine
    );
  };
}

/** Edges stay within a body. */
function acrossFrame(doc: Doc, catalog: Catalog, from: string, to: string): Verdict | undefined {
  const [source, target] = [nodeOf(from), nodeOf(to)];
  const [out, into] = [holderOf(doc.flow, source), holderOf(doc.flow, target)];
  if (out === into) return undefined;
  const title = (id: string | undefined): string => {
    const node = id === undefined ? undefined : doc.flow.nodes[id];
    return node ? titleOf(node, catalog) : '';
  };
  if (into !== undefined && (out === undefined || holdersOf(doc.flow, into).includes(out)))
    return no(`No edge goes into the frame of “${title(into)}”; read {{ nodes.${source} }} in it instead.`);
  return no(`No edge leaves the frame of “${title(out)}”; its result comes out of the frame itself.`);
}

function fitsCount(doc: Doc, from: string, to: string, target: InputPort): Verdict | undefined {
  const { edges } = doc.flow;
  if (edges.some((e) => e.from === from && e.to === to)) return no('These two are connected already.');
  if (!target.many && edges.some((e) => e.to === to)) {
    return no(`The input “${target.name}” takes one edge; put a merge before it to connect several.`);
  }
  return undefined;
}

function fitsKind(
  doc: Doc,
  catalog: Catalog,
  edge: { kind: FlowKind | undefined; to: string; target: InputPort },
): Verdict | undefined {
  if (edge.kind === 'stream' && edge.target.kind === 'value' && !takesItems(doc, catalog, edge.to)) {
    return no('A stream cannot go into a value input; collect it first (core.unstreamify).');
  }
  if (edge.kind === 'value' && edge.target.kind === 'stream') {
    return no('This input takes a stream; turn the value into one first (core.streamify).');
  }
  return undefined;
}

/** Whether a node takes the items of a stream at this input one by one. */
function takesItems(doc: Doc, catalog: Catalog, ref: string): boolean {
  const node = flatFlow(doc.flow).nodes[nodeOf(ref)];
  const info = infoOf(catalog, node);
  return (
    node !== undefined &&
    info !== undefined &&
    itemPort(node, info, portsOf(node, info))?.name === portOf(ref)
  );
}

export function outputPort(doc: Doc, catalog: Catalog, ref: string): OutputPort | undefined {
  const node = flatFlow(doc.flow).nodes[nodeOf(ref)];
  const info = infoOf(catalog, node);
  return node && info && portsOf(node, info).outputs.find((p) => p.name === portOf(ref));
}

export function inputPort(doc: Doc, catalog: Catalog, ref: string): InputPort | undefined {
  const node = flatFlow(doc.flow).nodes[nodeOf(ref)];
  const info = infoOf(catalog, node);
  return node && info && portsOf(node, info).inputs.find((p) => p.name === portOf(ref));
}

/** Operators with a port that a dropped wire could go to, with that port. */
export function fittingOperators(
  catalog: Catalog,
  wire: { direction: 'from-output' | 'to-input'; kind: 'value' | 'stream' },
): { type: string; port: string }[] {
  const fits: { type: string; port: string }[] = [];
  for (const info of Object.values(catalog.operators)) {
    const ports = portsOf({ operator: info.type }, info);
    const port =
      wire.direction === 'from-output'
        ? ports.inputs.find(
            (p) => p.kind === 'either' || p.kind === wire.kind || (wire.kind === 'stream' && info.lift),
          )
        : ports.outputs.find((p) => p.kind === 'either' || p.kind === wire.kind);
    if (port) fits.push({ type: info.type, port: port.name });
  }
  return fits;
}
