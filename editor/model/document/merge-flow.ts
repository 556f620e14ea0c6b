import { sameJson } from '#engine/edit';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import { type Doc, type EdgeId, edgeId } from './document.ts';
import { nodeOf, portOf } from './edit.ts';
import { type Graph, nodeIn } from './flat.ts';
import { mergeLayout } from './merge-layout.ts';
import { placeMissing } from './place-missing.ts';

/** A change that both sides made differently since their common state. */
export interface Clash {
  /** Identifies the place, so that a choice can be stored for it: `nodes/first/params/template`. */
  readonly place: string;
  /** The node it belongs to; absent for a field of the flow itself. */
  readonly node?: string;
  /** `params.template`; absent if the whole node is in question: deleted on one side, changed on the other. */
  readonly field?: string;
  /** `undefined` if it was removed. */
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** `mine`: as it is edited here; `theirs`: as it was changed elsewhere. */
export type Side = 'mine' | 'theirs';

/** A merged document with all clashes, also those that `choose` has decided. */
export interface Merged {
  readonly doc: Doc;
  readonly clashes: readonly Clash[];
}

/**
 * Merges two edited versions of the same flow.
 * M1. A change that only one side made since `base`, or that both made alike, is taken over.
 * M2. If both changed something differently, it is a clash. `choose` decides it; the default is mine.
 * M3. A node that one side deleted while the other changed it, or wired it anew, is one clash.
 * M4. Merging the result with `theirs` again gives the same result, with the clashes that were decided for mine. Units are
 * fields of the flow, of its settings, of nodes (also those of bodies) and of their params, and for each port the edges that end there. Positions
 * on the canvas never clash: mine win if I have moved something.
 */
export function mergeDocs(
  base: Doc,
  mine: Doc,
  theirs: Doc,
  choose: (clash: Clash) => Side | undefined = () => undefined,
): Merged {
  const merge = new Merge(choose);
  const flow = mergeFlow(merge, base.flow, mine.flow, theirs.flow);
  const layout = mergeLayout(base.layout, mine.layout, theirs.layout);
  const placed = Object.entries(layout.nodes).filter(([node]) => nodeIn(flow, node));
  const doc = placeMissing({ flow, layout: { ...layout, nodes: Object.fromEntries(placed) } });
  return { doc, clashes: merge.clashes };
}

type Fields = Readonly<Record<string, unknown>>;
type Body = NonNullable<FlowNode['body']>;

/** Decides one unit after the other, and collects the clashes. */
class Merge {
  readonly clashes: Clash[] = [];
  /** Nodes that clash as a whole, with the winning side, which also decides their edges. */
  readonly whole = new Map<string, Side>();
  private readonly choose: (clash: Clash) => Side | undefined;

  constructor(choose: (clash: Clash) => Side | undefined) {
    this.choose = choose;
  }

  /** M1, M2 */
  unit<T>(where: Omit<Clash, 'mine' | 'theirs'>, base: T, mine: T, theirs: T): T {
    if (sameJson(mine, theirs) || sameJson(base, theirs)) return mine;
    if (sameJson(base, mine)) return theirs;
    return this.ask({ ...where, mine, theirs }) === 'theirs' ? theirs : mine;
  }

  ask(clash: Clash): Side {
    this.clashes.push(clash);
    return this.choose(clash) ?? 'mine';
  }

  /** Each key separately. `prefix` is the start of its name in a clash. */
  fields(of: { node?: string; prefix: string }, base: Fields, mine: Fields, theirs: Fields): Fields {
    const { node, prefix } = of;
    const keys = new Set([...Object.keys(theirs), ...Object.keys(mine)]);
    const entries = [...keys].flatMap((key) => {
      const field = `${prefix}${key}`;
      const place = node === undefined ? `flow/${field}` : `nodes/${node}/${field}`;
      const where = { place, field, ...(node !== undefined && { node }) };
      const value = this.unit(where, own(base, key), own(mine, key), own(theirs, key));
      return value === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(entries);
  }

  /** The same for an object that may be missing: it exists if it has content, or if a side has added it. */
  inner(
    of: { node?: string; prefix: string },
    base: Fields | undefined,
    mine: Fields | undefined,
    theirs: Fields | undefined,
  ): Fields | undefined {
    const merged = this.fields(of, base ?? {}, mine ?? {}, theirs ?? {});
    const isThere = (mine === undefined) === (base === undefined) ? theirs !== undefined : mine !== undefined;
    return isThere || Object.keys(merged).length > 0 ? merged : undefined;
  }
}

function own<T>(fields: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function mergeFlow(merge: Merge, base: Flow, mine: Flow, theirs: Flow): Flow {
  const fields = merge.fields({ prefix: '' }, flowFields(base), flowFields(mine), flowFields(theirs));
  const settings = merge.inner({ prefix: 'settings.' }, base.settings, mine.settings, theirs.settings);
  const ids = new Set([...Object.keys(theirs.nodes), ...Object.keys(mine.nodes)]);
  const kept = [...ids].flatMap((id) => {
    const node = mergeNode(merge, id, { base, mine, theirs });
    return node ? [[id, node] as const] : [];
  });
  const nodes = Object.fromEntries(kept);
  const edges = mergeEdges(merge, base.edges, mine.edges, theirs.edges).filter((edge) =>
    endsOf(edge).every((id) => Object.hasOwn(nodes, id)),
  );
  return { ...fields, format: mine.format, id: mine.id, nodes, edges, ...(settings && { settings }) };
}

function flowFields({ format: _f, id: _i, nodes: _n, edges: _e, settings: _s, ...rest }: Flow): Fields {
  return rest;
}

interface Flows {
  readonly base: Graph;
  readonly mine: Graph;
  readonly theirs: Graph;
}

function mergeNode(merge: Merge, id: string, { base, mine, theirs }: Flows): FlowNode | undefined {
  const [b, m, t] = [own(base.nodes, id), own(mine.nodes, id), own(theirs.nodes, id)];
  if (m && t) return b ? mergeBoth(merge, id, [b, m, t]) : sameJson(m, t) ? m : wholeNode(merge, id, m, t);
  const [left, side] = m ? [m, mine] : [t, theirs];
  if (!b || !left) return left;
  // M3
  const isTouched = !sameJson(b, left) || isWiredAnew(id, base.edges, side.edges);
  return isTouched ? wholeNode(merge, id, m, t) : undefined;
}

function mergeBoth(
  merge: Merge,
  id: string,
  [b, m, t]: readonly [base: FlowNode, mine: FlowNode, theirs: FlowNode],
): FlowNode | undefined {
  if (sameJson(b, m) || sameJson(m, t)) return t;
  if (sameJson(b, t)) return m;
  // The params of one operator mean nothing to another.
  if (b.operator !== m.operator || b.operator !== t.operator) return wholeNode(merge, id, m, t);
  const [bare, mineBare, theirsBare] = [b, m, t].map(
    ({ params: _params, body: _body, ...rest }) => rest as Fields,
  );
  const fields = merge.fields({ node: id, prefix: '' }, bare ?? {}, mineBare ?? {}, theirsBare ?? {});
  const params = merge.inner({ node: id, prefix: 'params.' }, b.params, m.params, t.params);
  const body = mergeBody(merge, id, [b.body, m.body, t.body]);
  return { ...fields, operator: m.operator, ...(params && { params }), ...(body && { body }) };
}

/** The nodes and edges of a body each by themselves, while all have one with the same start. */
function mergeBody(
  merge: Merge,
  id: string,
  [base, mine, theirs]: readonly [Body | undefined, Body | undefined, Body | undefined],
): Body | undefined {
  const isSame = base && mine && theirs && base.start === mine.start && base.start === theirs.start;
  if (!isSame) return merge.unit({ place: `nodes/${id}/body`, node: id, field: 'body' }, base, mine, theirs);
  const ids = new Set([...Object.keys(theirs.nodes), ...Object.keys(mine.nodes)]);
  const nodes = Object.fromEntries(
    [...ids].flatMap((one) => {
      const node = mergeNode(merge, one, { base, mine, theirs });
      return node ? [[one, node] as const] : [];
    }),
  );
  const isThere = (one: string): boolean => one === base.start || Object.hasOwn(nodes, one);
  const edges = mergeEdges(merge, base.edges, mine.edges, theirs.edges);
  return { ...mine, nodes, edges: edges.filter((edge) => endsOf(edge).every(isThere)) };
}

function wholeNode(
  merge: Merge,
  id: string,
  mine: FlowNode | undefined,
  theirs: FlowNode | undefined,
): FlowNode | undefined {
  const side = merge.ask({ place: `nodes/${id}`, node: id, mine, theirs });
  merge.whole.set(id, side);
  return side === 'mine' ? mine : theirs;
}

function isWiredAnew(id: string, base: readonly FlowEdge[], edges: readonly FlowEdge[]): boolean {
  const known = new Set(base.map(edgeId));
  return edges.some((edge) => endsOf(edge).includes(id) && !known.has(edgeId(edge)));
}

function endsOf({ from, to }: FlowEdge): [string, string] {
  return [nodeOf(from), nodeOf(to)];
}

type Edges = readonly FlowEdge[];

function mergeEdges(merge: Merge, base: Edges, mine: Edges, theirs: Edges): FlowEdge[] {
  const { whole } = merge;
  const isFree = (edge: FlowEdge): boolean => endsOf(edge).every((id) => !whole.has(id));
  const [b, m, t] = [base, mine, theirs].map((edges) => byPort(edges.filter(isFree)));
  const settled = [...new Set([...(t?.keys() ?? []), ...(m?.keys() ?? [])])].flatMap((to) => {
    const where = { place: `edges/${to}`, node: nodeOf(to), field: `edges into ${portOf(to)}` };
    return merge.unit(where, b?.get(to) ?? [], m?.get(to) ?? [], t?.get(to) ?? []);
  });
  const held = { mine: byId(mine), theirs: byId(theirs) };
  // The order of values is that of the winning side too.
  const winner = ({ from, to }: FlowEdge): Side | undefined =>
    whole.get(nodeOf(to)) ?? whole.get(nodeOf(from));
  const bound = [
    ...[...mine, ...theirs].filter((edge) => winner(edge) === 'mine'),
    ...[...theirs, ...mine].filter((edge) => winner(edge) === 'theirs'),
  ].flatMap((edge) => asWon(edge, held, whole));
  const found = new Map<string, FlowEdge>();
  for (const edge of [...settled, ...bound]) if (!found.has(edgeId(edge))) found.set(edgeId(edge), edge);
  return inOrder(found, [...theirs, ...mine]);
}

function byId(edges: Edges): ReadonlyMap<EdgeId, FlowEdge> {
  return new Map(edges.map((edge) => [edgeId(edge), edge]));
}

/** The edge as the winning side of its ends has it; none if one of them lacks it. */
function asWon(
  edge: FlowEdge,
  held: Readonly<Record<Side, ReadonlyMap<EdgeId, FlowEdge>>>,
  whole: ReadonlyMap<string, Side>,
): FlowEdge[] {
  const sides = endsOf(edge).flatMap((id) => whole.get(id) ?? []);
  const won = sides.map((side) => held[side].get(edgeId(edge)));
  const [first] = won;
  return first === undefined || won.includes(undefined) ? [] : [first];
}

function byPort(edges: Edges): Map<string, FlowEdge[]> {
  const ports = new Map<string, FlowEdge[]>();
  for (const edge of edges) ports.set(edge.to, [...(ports.get(edge.to) ?? []), edge]);
  return ports;
}

/** Each edge once, at its old position; those into one port in the order of `edges`, which is that of its values. */
function inOrder(edges: ReadonlyMap<string, FlowEdge>, order: Edges): FlowEdge[] {
  const ids = new Set(order.map(edgeId));
  const ports = byPort([...edges.values()]);
  return [...ids].flatMap((id) => ports.get(edges.get(id as EdgeId)?.to ?? '')?.shift() ?? []);
}
