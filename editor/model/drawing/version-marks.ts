import type { FlowChange } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import { edgeId } from '../document/document.ts';
import type { Mark, Marks } from './marks.ts';

/**
 * Two versions in one drawing: the later one plus the parts that it no longer has, and how the parts differ. `changes` go
 * from `before` to `after`.
 */
export function drawnTogether(
  before: Flow,
  after: Flow,
  changes: readonly FlowChange[],
): { readonly flow: Flow; readonly marks: Marks } {
  const nodes: Record<string, Mark> = {};
  const edges: Record<string, Mark> = {};
  const gone: Flow = { ...after, nodes: { ...after.nodes }, edges: [...after.edges] };
  for (const change of changes) {
    if (change.kind === 'node-removed')
      gone.nodes[change.node] = before.nodes[change.node] as Flow['nodes'][string];
    if (change.kind === 'edge-removed' && !gone.edges.some((edge) => edgeId(edge) === edgeId(change)))
      gone.edges.push({ from: change.from, to: change.to });
    const mark = markOf(change);
    if (mark === undefined) continue;
    if (change.kind === 'node-changed') Object.assign(nodes, marksWithin(change));
    if ('from' in change) edges[edgeId(change)] = edges[edgeId(change)] ? 'changed' : mark;
    else if ('node' in change) nodes[change.kind === 'node-renamed' ? change.to : change.node] = mark;
  }
  return { flow: gone, marks: { nodes, edges } };
}

/** The nodes of bodies that a change of the node around them is about: its path is `body.nodes.price.params.value`. */
function marksWithin({
  path,
  before,
  after,
}: {
  path: string;
  before?: unknown;
  after?: unknown;
}): Marks['nodes'] {
  const marks: Record<string, Mark> = {};
  for (let rest = path; rest.startsWith('body.nodes.'); ) {
    const [id = '', ...more] = rest.slice('body.nodes.'.length).split('.');
    rest = more.join('.');
    const isWhole = rest === '';
    marks[id] =
      isWhole && before === undefined ? 'added' : isWhole && after === undefined ? 'removed' : 'changed';
  }
  return marks;
}

function markOf({ kind }: FlowChange): Mark | undefined {
  if (kind === 'flow-changed') return undefined;
  if (kind.endsWith('-added')) return 'added';
  return kind.endsWith('-removed') ? 'removed' : 'changed';
}
