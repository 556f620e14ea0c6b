import type { Flow, FlowEdge } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { parsePath } from '#engine/check';
import { type EdgeId, edgeId } from '../document/document.ts';

/**
 * The edge of a problem that belongs to an edge rather than to a node: its field is `edges[3].from`, or in a body
 * `nodes.loop.body.edges[3].from`.
 */
export function edgeOfProblem({ node, field }: Problem, flow: Flow): FlowEdge | undefined {
  if (node !== undefined || field === undefined) return undefined;
  const path = parsePath(field) ?? [];
  const end = path.lastIndexOf('edges');
  if (end < 0 || typeof path[end + 1] !== 'number') return undefined;
  const found = path
    .slice(0, end + 2)
    .reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], flow);
  return found as FlowEdge | undefined;
}

const known = new WeakMap<readonly Problem[], ReadonlyMap<EdgeId, Problem>>();

/** The worst problem of each edge that has one, computed once per list, since every wire asks. `flow`: the one that was checked. */
export function edgeProblems(
  problems: readonly Problem[],
  flow: Flow | undefined,
): ReadonlyMap<EdgeId, Problem> {
  let byEdge = known.get(problems);
  if (!byEdge) {
    byEdge = flow ? worst(problems, flow) : new Map();
    known.set(problems, byEdge);
  }
  return byEdge;
}

function worst(problems: readonly Problem[], flow: Flow): Map<EdgeId, Problem> {
  const byEdge = new Map<EdgeId, Problem>();
  for (const problem of problems) {
    const edge = edgeOfProblem(problem, flow);
    if (!edge) continue;
    const id = edgeId(edge);
    if (byEdge.get(id)?.severity !== 'error') byEdge.set(id, problem);
  }
  return byEdge;
}
