import type { DifyEdge } from './app.ts';

/** The nodes of one level as their wires order them: of the whole app, or of one iteration or loop. */
export interface Graph {
  /** The nodes that run, each behind those that lead to it. */
  readonly order: readonly string[];
  /** Edges between nodes that run. */
  readonly edges: readonly DifyEdge[];
  /** Edges that close a circle. */
  readonly circular: readonly DifyEdge[];
  /** Nodes that nothing leads to from a start, so that they never run. */
  readonly idle: ReadonlySet<string>;
  /** Whether `a` comes before `b`. */
  isBefore(a: string, b: string): boolean;
  /** Whether `a` has always run when `b` runs. */
  isSure(a: string, b: string): boolean;
}

export function graphOf(
  ids: readonly string[],
  edges: readonly DifyEdge[],
  starts: readonly string[],
): Graph {
  const out = new Map<string, DifyEdge[]>(ids.map((id) => [id, []]));
  for (const edge of edges) out.get(edge.from)?.push(edge);
  const { reached, circular } = walk(out, starts);
  const live = edges.filter((edge) => reached.has(edge.from) && reached.has(edge.to) && !circular.has(edge));
  const order = sorted([...reached], live);
  const { before, sure } = sets(order, live);
  return {
    order,
    edges: live,
    circular: [...circular],
    idle: new Set(ids.filter((id) => !reached.has(id))),
    isBefore: (a, b) => has(before.get(b), order, a),
    isSure: (a, b) => has(sure.get(b), order, a),
  };
}

/** Goes along all edges, without recursion: a file may have a line of thousands of nodes. */
function walk(
  out: ReadonlyMap<string, readonly DifyEdge[]>,
  starts: readonly string[],
): { reached: Set<string>; circular: Set<DifyEdge> } {
  const reached = new Set<string>();
  const open = new Set<string>();
  const circular = new Set<DifyEdge>();
  for (const start of starts) {
    if (reached.has(start) || !out.has(start)) continue;
    reached.add(start);
    open.add(start);
    const stack = [{ id: start, at: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const edge = out.get(top.id)?.[top.at++];
      if (edge === undefined) {
        open.delete(top.id);
        stack.pop();
      } else if (open.has(edge.to)) circular.add(edge);
      else if (!reached.has(edge.to) && out.has(edge.to)) {
        reached.add(edge.to);
        open.add(edge.to);
        stack.push({ id: edge.to, at: 0 });
      }
    }
  }
  return { reached, circular };
}

function sorted(ids: readonly string[], edges: readonly DifyEdge[]): string[] {
  const waiting = new Map(ids.map((id) => [id, 0]));
  const out = new Map<string, string[]>();
  for (const { from, to } of edges) {
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
    out.set(from, [...(out.get(from) ?? []), to]);
  }
  const order = ids.filter((id) => waiting.get(id) === 0);
  for (let at = 0; at < order.length; at++)
    for (const to of out.get(order[at] as string) ?? []) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) order.push(to);
    }
  return order;
}

type Bits = Uint32Array;

/** The nodes as bits by their place in the order, since there may be thousands. */
function sets(
  order: readonly string[],
  edges: readonly DifyEdge[],
): { before: Map<string, Bits>; sure: Map<string, Bits> } {
  const place = new Map(order.map((id, at) => [id, at]));
  const sources = new Map<string, Set<string>>();
  for (const { from, to } of edges) sources.set(to, (sources.get(to) ?? new Set()).add(from));
  const words = (order.length >> 5) + 1;
  const before = new Map<string, Bits>();
  const sure = new Map<string, Bits>();
  for (const id of order) {
    const all = new Uint32Array(words);
    const each = new Uint32Array(words);
    const from = [...(sources.get(id) ?? [])];
    if (from.length > 0) each.fill(0xff_ff_ff_ff);
    for (const source of from) {
      add(all, withBit(before.get(source), place.get(source) as number, words), 'or');
      add(each, withBit(sure.get(source), place.get(source) as number, words), 'and');
    }
    before.set(id, all);
    sure.set(id, each);
  }
  return { before, sure };
}

function withBit(bits: Bits | undefined, bit: number, words: number): Bits {
  const copy = bits ? bits.slice() : new Uint32Array(words);
  copy[bit >> 5] = (copy[bit >> 5] as number) | (1 << (bit & 31));
  return copy;
}

function add(into: Bits, other: Bits, by: 'or' | 'and'): void {
  for (let at = 0; at < into.length; at++) {
    const [a, b] = [into[at] as number, other[at] as number];
    into[at] = by === 'or' ? a | b : a & b;
  }
}

const places = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

function has(bits: Bits | undefined, order: readonly string[], id: string): boolean {
  let known = places.get(order);
  if (!known) places.set(order, (known = new Map(order.map((one, at) => [one, at]))));
  const at = known.get(id);
  return at !== undefined && bits !== undefined && ((bits[at >> 5] ?? 0) & (1 << (at & 31))) !== 0;
}
