/** When a node ran. */
export interface TimedNode {
  readonly id: string;
  readonly start: number;
  readonly end: number;
}

export interface CriticalPath {
  /** Ids, in path order. */
  readonly path: readonly string[];
  /** Length of the path. */
  readonly ms: number;
}

interface Chain {
  readonly node: TimedNode;
  readonly before: Chain | undefined;
  readonly ms: number;
}

/**
 * The longest chain of nodes that depend on each other: a run gets faster only if one of these does. The time of a node
 * counts from its start, or from the end of its predecessor if that is later, since a reader of a stream starts while the
 * stream flows. Among equally long chains the one that ends last counts. `edges` lead from node to node, without a cycle;
 * edges of nodes that are not in `nodes` are ignored.
 */
export function criticalPath(
  nodes: readonly TimedNode[],
  edges: readonly (readonly [from: string, to: string])[],
): CriticalPath {
  const chains = new Map<string, Chain>();
  let longest: Chain | undefined;
  for (const { node, from } of inOrder(nodes, edges)) {
    const chain = longestTo(node, from, chains);
    chains.set(node.id, chain);
    if (longest === undefined || compare(chain, longest) >= 0) longest = chain;
  }
  return { path: idsOf(longest), ms: longest?.ms ?? 0 };
}

function longestTo(node: TimedNode, from: readonly string[], chains: ReadonlyMap<string, Chain>): Chain {
  let best: Chain = { node, before: undefined, ms: node.end - node.start };
  for (const id of from) {
    const before = chains.get(id);
    if (before === undefined) continue;
    const chain = { node, before, ms: before.ms + timeAfter(before.node, node) };
    const isBest = best.before === undefined ? chain.ms >= best.ms : compareVia(chain, best) > 0;
    if (isBest) best = chain;
  }
  return best;
}

function compare(a: Chain, b: Chain): number {
  return a.ms - b.ms || a.node.end - b.node.end;
}

/** Which of two chains to the same node counts. */
function compareVia(a: Chain, b: Chain): number {
  return a.ms - b.ms || (a.before?.node.end ?? 0) - (b.before?.node.end ?? 0);
}

/** The time that a node adds to a chain that ends with `before`. */
export function timeAfter(before: TimedNode, node: TimedNode): number {
  return Math.max(0, node.end - Math.max(node.start, before.end));
}

function idsOf(chain: Chain | undefined): string[] {
  const path: string[] = [];
  for (let at = chain; at !== undefined; at = at.before) path.push(at.node.id);
  return path.reverse();
}

interface Placed {
  readonly node: TimedNode;
  readonly from: string[];
  readonly to: string[];
  open: number;
}

/** The nodes in an order in which each follows its predecessors. */
function inOrder(
  nodes: readonly TimedNode[],
  edges: readonly (readonly [from: string, to: string])[],
): Placed[] {
  const placed = new Map<string, Placed>(nodes.map((node) => [node.id, { node, from: [], to: [], open: 0 }]));
  for (const [from, to] of edges) {
    const [source, target] = [placed.get(from), placed.get(to)];
    if (source === undefined || target === undefined) continue;
    source.to.push(to);
    target.from.push(from);
    target.open++;
  }
  const order = [...placed.values()].filter(({ open }) => open === 0);
  for (const { to } of order) {
    for (const id of to) {
      const target = placed.get(id);
      if (target !== undefined && --target.open === 0) order.push(target);
    }
  }
  return order;
}
