import type { InputPort } from '#shared/catalog.ts';
import type { EdgeLabel } from './graph.ts';

/** A flow as far as laziness concerns it. */
export interface LazyScope {
  readonly nodes: Iterable<string>;
  incoming(id: string): readonly EdgeLabel[];
  outgoing(id: string): readonly EdgeLabel[];
  inputs(id: string): readonly InputPort[];
  isTrigger(id: string): boolean;
  isStream(edge: EdgeLabel): boolean;
}

const NONE: ReadonlyMap<string, readonly EdgeLabel[]> = new Map();

/**
 * The nodes that run only if they are needed, each with the edges of which none must bring a value before. A lazy input
 * (`many: 'first'`) takes the first of its edges that brings a value other than null. The branch of a later edge, the nodes
 * from which every path leads to that edge, need not run before that. Every node of the branch waits by itself: one with a
 * second edge from outside would run otherwise.
 *
 * No wait makes a circle: a branch leads to nothing but its lazy input, so nothing that comes before it can follow from it.
 */
export function lazyNodes(scope: LazyScope): ReadonlyMap<string, readonly EdgeLabel[]> {
  let found: Map<string, readonly EdgeLabel[]> | undefined;
  for (const { edge, before } of laterEdges(scope)) {
    found ??= new Map();
    for (const id of branchOf(scope, edge)) found.set(id, [...(found.get(id) ?? []), ...before]);
  }
  return found ?? NONE;
}

interface LaterEdge {
  readonly edge: EdgeLabel;
  /** The edges into the same input before it. */
  readonly before: readonly EdgeLabel[];
}

/** The edges into lazy inputs, without the first ones. */
function* laterEdges(scope: LazyScope): Generator<LaterEdge> {
  for (const id of scope.nodes) {
    for (const { name, many } of scope.inputs(id)) {
      if (many !== 'first') continue;
      const edges = scope.incoming(id).filter(({ toPort }) => toPort === name);
      yield* edges.slice(1).map((edge, at) => ({ edge, before: edges.slice(0, at + 1) }));
    }
  }
}

/** The nodes from which every path leads to the edge. */
function branchOf(scope: LazyScope, edge: EdgeLabel): ReadonlySet<string> {
  const branch = new Set<string>();
  const belongs = (id: string): boolean =>
    !scope.isTrigger(id) && scope.outgoing(id).every((one) => one.at === edge.at || branch.has(one.to));
  const open = [edge.from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (branch.has(id) || !belongs(id)) continue;
    branch.add(id);
    open.push(...scope.incoming(id).map(({ from }) => from));
  }
  // All readers of a stream read at one pace, so a reader that waits would hold up the others.
  const reads = (id: string): boolean =>
    scope.incoming(id).some((one) => scope.isStream(one) && !branch.has(one.from));
  for (let left = -1; left !== branch.size; ) {
    left = branch.size;
    for (const id of [...branch]) if (reads(id) || !belongs(id)) branch.delete(id);
  }
  return branch;
}
