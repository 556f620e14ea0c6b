import type { Catalog } from '#shared/catalog.ts';
import { type Flow, type FlowBody, type FlowEdge, MAX_BODY_DEPTH } from '#shared/flow.ts';
import type { CheckContext, NodeView } from '../flow/context.ts';
import { byEdgeOrder, type EdgeLabel, reach } from '../flow/graph.ts';
import { isTrigger } from '../flow/context.ts';
import { plainOutputs } from '../flow/ports.ts';
import { scopeOf } from '../flow/result-nodes.ts';
import { flowTypes } from '../types/flow-types.ts';
import { isAlwaysGiven } from '../types/result-type.ts';
import { GROUP } from './extract.ts';
import { fromField, nodeOf, withOrders } from './edges.ts';
import {
  changePart,
  containerOf,
  contextWith,
  depthAround,
  depthOf,
  type FlowPart,
  freeId,
  isStart,
  type Reshaped,
  refused,
  rootOf,
} from './graphs.ts';
import { readersOf, readingInstead } from './reads.ts';

/** The node that a selection is put into. */
export interface WrapIn {
  /** `core.group` if it is left out. */
  readonly operator?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Puts nodes of a flow, or of a body, into the body of a new node, whose id is `container`. Ids and expressions stay; edges from
 * several outputs outside are joined first.
 */
export function wrapNodes(
  flow: Flow,
  ids: readonly string[],
  { operator = GROUP, params }: WrapIn,
  catalog: Catalog,
): Reshaped<{ readonly flow: Flow; readonly container: string }> {
  const context = contextWith(flow, ids[0] ?? '', catalog);
  if (!context) return refused('There are no such nodes.');
  const selected = new Set(ids);
  const cut = cutOut(context, selected);
  const why = whyNotTogether(context, selected) ?? whyNotCut(context, cut) ?? whyNotRead(flow, cut, catalog);
  if (why !== undefined) return refused(why);
  const isGroup = operator === GROUP;
  const names = namesFor(flow, operator, isGroup);
  const wrapped = changePart(flow, context.outside?.node, (part) => {
    const { body, edges, join } = partsOf(part, selected, { cut, names });
    const rest = Object.entries(part.nodes).filter(([id]) => !selected.has(id));
    const holder = { operator, ...(params && { params: { ...params } }), body };
    return { nodes: { ...Object.fromEntries(rest), ...join, [names.container]: holder }, edges };
  });
  const { result } = cut;
  const lost = neverRun(wrapped, names.container, catalog);
  if (lost !== undefined)
    return refused(
      `Nothing among the nodes connects \`${lost}\` with what comes from outside, so it would not run.`,
    );
  const nodes = result
    ? readingInstead(wrapped.nodes, catalog, { from: result.id, to: names.container, except: selected })
    : wrapped.nodes;
  const done = { ...wrapped, nodes };
  const notes = isGroup ? notesOf(done, names.container, { cut, catalog }) : [];
  return { ok: true, flow: done, container: names.container, notes };
}

function neverRun(flow: Flow, container: string, catalog: Catalog): string | undefined {
  const inner = containerOf(flow, container, catalog)?.inner;
  const [start = ''] = inner?.nodes.keys() ?? [];
  const scope = inner && scopeOf(inner, start);
  return scope && [...inner.nodes.keys()].find((id) => !scope.has(id));
}

interface Cut {
  readonly selected: ReadonlySet<string>;
  readonly into: readonly EdgeLabel[];
  readonly outOf: readonly EdgeLabel[];
  /** The node whose output is the result; undefined if nothing ends in the selection. */
  readonly result: NodeView | undefined;
  readonly ends: readonly NodeView[];
  /** Nodes without an edge. */
  readonly roots: readonly string[];
}

function cutOut({ nodes }: CheckContext, selected: ReadonlySet<string>): Cut {
  const views = [...selected].flatMap((id) => nodes.get(id) ?? []);
  const into = views.flatMap(({ incoming }) => incoming.filter(({ from }) => !selected.has(from)));
  const outOf = views.flatMap(({ outgoing }) => outgoing.filter(({ to }) => !selected.has(to)));
  const ends = views.filter(
    ({ outgoing, info, ports }) =>
      outgoing.every(({ to }) => !selected.has(to)) && !info?.sink && plainOutputs(ports).length > 0,
  );
  const roots = views.filter(({ incoming }) => incoming.length === 0).map(({ id }) => id);
  return { selected, into: into.toSorted(byEdgeOrder), outOf, result: ends[0], ends, roots };
}

function whyNotTogether(context: CheckContext, selected: ReadonlySet<string>): string | undefined {
  const { nodes, graph } = context;
  for (const id of selected) {
    const view = nodes.get(id);
    if (!view || isStart(context, id)) return `\`${id}\` is not in the same part of the flow as the others.`;
    if (!view.info) return `\`${id}\` has an operator that is not known here.`;
    if (isTrigger(view)) return `\`${id}\` starts the flow, which nothing in a body can do.`;
    if (view.info.respond) return `\`${id}\` answers the caller, which nothing in a body can do.`;
  }
  const after = reach(graph, selected);
  const between = [...reach(graph, selected, true)].find((id) => after.has(id) && !selected.has(id));
  if (between !== undefined)
    return `\`${between}\` comes after one of the nodes and before another; it must be among them.`;
  const inner = Object.fromEntries([...selected].map((id) => [id, (nodes.get(id) as NodeView).node]));
  if (depthAround(context) + 1 + depthOf(inner) > MAX_BODY_DEPTH)
    return `Bodies may be only ${MAX_BODY_DEPTH} deep.`;
  return undefined;
}

function whyNotCut({ kinds }: CheckContext, { into, outOf, ends }: Cut): string | undefined {
  const streamed = [...into, ...outOf].find(
    ({ from, fromPort }) => kinds.get(`${from}.${fromPort}`) === 'stream',
  );
  if (streamed)
    return `\`${streamed.from}\` gives a stream to \`${streamed.to}\`, which cannot cross the edge of a body.`;
  if (into.length === 0) return 'Nothing leads to the nodes, so nothing would start them in a body.';
  const several = into.find((edge, at) =>
    into.some(({ to, toPort }, other) => other < at && to === edge.to && toPort === edge.toPort),
  );
  if (several)
    return `\`${several.to}\` takes several values from outside at one input, but a body brings it only one; select the nodes that give them too.`;
  const [end, other] = ends;
  if (end && other) return `\`${end.id}\` and \`${other.id}\` both end here, but a body has one result.`;
  const [port, second] = end ? plainOutputs(end.ports) : [];
  const wrong = outOf.find(({ from, fromPort }) => from !== end?.id || second || fromPort !== port?.name);
  return (
    wrong &&
    `\`${wrong.from}.${wrong.fromPort}\` leads to \`${wrong.to}\` outside, but is not the one result of the nodes.`
  );
}

/** Nothing outside may read a node in a body, besides the result. */
function whyNotRead(flow: Flow, { selected, result }: Cut, catalog: Catalog): string | undefined {
  for (const id of selected) {
    if (id === result?.id && plainOutputs(result.ports).length === 1) continue;
    const reader = readersOf(flow.nodes, id, catalog, selected)[0];
    if (reader !== undefined) return `\`${reader}\` reads \`nodes.${id}\`, which it could not in a body.`;
  }
  return undefined;
}

interface Names {
  readonly container: string;
  readonly start: string;
  readonly join: string;
}

function namesFor(flow: Flow, operator: string, isGroup: boolean): Names {
  const name = (operator.split('.').at(-1) ?? 'group').replaceAll('-', '_');
  const container = freeId(flow, name);
  const start = freeId(flow, isGroup ? 'given' : 'item', [container]);
  return { container, start, join: freeId(flow, 'join', [container, start]) };
}

/** The body, the edges around it, and a node that joins what comes from several outputs. */
function partsOf(
  part: FlowPart,
  selected: ReadonlySet<string>,
  { cut, names }: { readonly cut: Cut; readonly names: Names },
): { readonly body: FlowBody; readonly edges: FlowEdge[]; readonly join: FlowPart['nodes'] } {
  const sources = [...new Set(cut.into.map(({ from, fromPort }) => `${from}.${fromPort}`))];
  const [only, second] = sources;
  const fields = new Map(second === undefined ? [] : sources.map((ref) => [ref, freeField(ref, sources)]));
  const touched = [...cut.into, ...cut.outOf].map(({ to, toPort }) => `${to}.${toPort}`);
  const own: FlowEdge[] = [];
  const rest: FlowEdge[] = [];
  for (const edge of withOrders(part.edges, touched)) {
    const [from, to] = [selected.has(nodeOf(edge.from)), selected.has(nodeOf(edge.to))];
    if (from && to) own.push(edge);
    else if (to) own.push(fromField(edge, `${names.start}.out`, fields.get(edge.from)));
    else rest.push(from ? { ...edge, from: `${names.container}.out` } : edge);
  }
  const join = second === undefined ? {} : { [names.join]: joinOf([...fields.values()]) };
  for (const [ref, field] of fields) rest.push({ from: ref, to: `${names.join}.${field}` });
  const feeding = second === undefined ? only : `${names.join}.out`;
  if (feeding !== undefined) rest.push({ from: feeding, to: `${names.container}.in` });
  const inside = Object.entries(part.nodes).filter(([id]) => selected.has(id));
  return { body: { start: names.start, nodes: Object.fromEntries(inside), edges: own }, edges: rest, join };
}

/** The name of the node, or of node and port where two ports of it are needed. */
function freeField(ref: string, all: readonly string[]): string {
  const node = nodeOf(ref);
  return all.filter((other) => nodeOf(other) === node).length > 1 ? ref.replace('.', '_') : node;
}

function joinOf(names: readonly string[]) {
  return { operator: 'core.join', params: { inputs: names.map((name) => ({ name })) } };
}

function notesOf(
  flow: Flow,
  container: string,
  { cut, catalog }: { readonly cut: Cut; readonly catalog: Catalog },
): string[] {
  const notes: string[] = [];
  const { into, result, roots } = cut;
  const found = containerOf(flow, container, catalog);
  const types = found && flowTypes(rootOf(found.context));
  const isFed = (id: string): boolean =>
    found !== undefined && types !== undefined && isAlwaysGiven(found.context, types, id);
  const isJoined = new Set(into.map(({ from, fromPort }) => `${from}.${fromPort}`)).size > 1;
  if (isJoined && !into.every(({ from }) => isFed(from)))
    notes.push('The nodes now run only if all that leads to them has a value.');
  if (into.length > 0 && roots.length > 0)
    notes.push(`${list(roots)} now ${roots.length > 1 ? 'run' : 'runs'} only if the group has an input.`);
  if (found && types && result && !isAlwaysGiven(found.inner, types, result.id))
    notes.push(`Where \`${result.id}\` is skipped the group gives null, and what follows it runs.`);
  return notes;
}

function list(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(', ');
}
