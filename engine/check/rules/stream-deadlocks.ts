import type { CheckContext, NodeView } from '../../flow/context.ts';
import type { EdgeLabel } from '../../flow/graph.ts';
import { ERROR_PORT } from '../../flow/ports.ts';

/** Limit of edges that are followed over all streams, so that a large flow stays cheap to check. A run reports the rest. */
const MAX_EDGES = 200_000;

/** Reads its streams one after the other. */
const CONCAT = 'core.concat';

/** How an edge relates to the edges out of one stream, each given by its index. */
interface Trail {
  /** It carries the items of one of them, one by one. */
  readonly carries: ReadonlySet<number>;
  /** It waits until one of them has been read to its end. */
  readonly awaits: ReadonlySet<number>;
}

const NO_TRAIL: Trail = { carries: new Set(), awaits: new Set() };

/**
 * Finds consumers of a stream that wait, over a value edge or in a concat, for another consumer of the same stream. All
 * items that arrive meanwhile must be buffered, so the run stops when there are too many.
 */
export function checkStreamDeadlocks(context: CheckContext): void {
  if (![...context.nodes.values()].some((view) => couldWait(context, view))) return;
  const rank = new Map(context.components.flat().map((id, i) => [id, i]));
  let left = MAX_EDGES;
  for (const view of context.nodes.values()) {
    for (const [port, edges] of Map.groupBy(view.outgoing, (edge) => edge.fromPort)) {
      if (edges.length < 2 || context.kinds.get(`${view.id}.${port}`) !== 'stream') continue;
      const below = descendants(context, edges, rank);
      left -= below.reduce((sum, { outgoing }) => sum + outgoing.length, edges.length);
      if (left < 0) return;
      reportWaiting(context, edges, below);
    }
  }
}

/** Only a node with a stream and another input can make one consumer wait for the other. */
function couldWait({ kinds }: CheckContext, { incoming }: NodeView): boolean {
  return (
    incoming.length > 1 && incoming.some((edge) => kinds.get(`${edge.from}.${edge.fromPort}`) === 'stream')
  );
}

/** The nodes behind the edges, each after those that feed it. */
function descendants(
  { nodes }: CheckContext,
  edges: readonly EdgeLabel[],
  rank: ReadonlyMap<string, number>,
): NodeView[] {
  const found = new Set(edges.map((edge) => edge.to));
  for (const id of found) for (const edge of nodes.get(id)?.outgoing ?? []) found.add(edge.to);
  const order = (id: string) => rank.get(id) ?? 0;
  return [...found].sort((a, b) => order(a) - order(b)).map((id) => nodes.get(id) as NodeView);
}

function reportWaiting(context: CheckContext, edges: readonly EdgeLabel[], below: readonly NodeView[]): void {
  const trails = new Map<number, Trail>();
  edges.forEach((edge, i) => trails.set(edge.at, { carries: new Set([i]), awaits: NO_TRAIL.awaits }));
  for (const view of below) {
    const incoming = view.incoming.map((edge) => ({ edge, trail: trails.get(edge.at) ?? NO_TRAIL }));
    const late = incoming.find(({ trail }, i) => waitsFor(view, incoming.slice(0, i), trail, incoming));
    if (late) report(context, edges[0] as EdgeLabel, view, { late: late.edge, incoming });
    // Nodes after a problem get no problem of their own.
    else for (const edge of view.outgoing) trails.set(edge.at, trailOf(context, edge, incoming));
  }
}

type Incoming = readonly { readonly edge: EdgeLabel; readonly trail: Trail }[];

/** Whether a node reads a stream only after another edge out of the same stream has been read to its end. */
function waitsFor({ node }: NodeView, before: Incoming, { carries }: Trail, all: Incoming): boolean {
  if (carries.size === 0) return false;
  const isOther = (others: ReadonlySet<number>): boolean => {
    const both = new Set([...carries, ...others]);
    return others.size > 0 && both.size > 1;
  };
  if (all.some(({ trail }) => isOther(trail.awaits))) return true;
  return node.operator === CONCAT && before.some(({ trail }) => isOther(trail.carries));
}

function trailOf({ kinds, nodes }: CheckContext, edge: EdgeLabel, incoming: Incoming): Trail {
  const carries = union(incoming.map(({ trail }) => trail.carries));
  const awaits = union(incoming.map(({ trail }) => trail.awaits));
  if (kinds.get(`${edge.from}.${edge.fromPort}`) === 'stream') return { carries, awaits };
  // If a node gives streams, its error comes in place of their first items.
  const isEarly = edge.fromPort === ERROR_PORT && givesStreams(kinds, nodes.get(edge.from) as NodeView);
  return { carries: NO_TRAIL.carries, awaits: isEarly ? awaits : union([awaits, carries]) };
}

function givesStreams(kinds: CheckContext['kinds'], { id, ports }: NodeView): boolean {
  return ports.outputs.some((port) => kinds.get(`${id}.${port.name}`) === 'stream');
}

/** Two indexes are enough: any third one differs from one of them. */
function union(sets: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  const filled = sets.filter((set) => set.size > 0);
  if (filled.length < 2) return filled[0] ?? NO_TRAIL.carries;
  return new Set([...new Set(filled.flatMap((set) => [...set]))].slice(0, 2));
}

/** The fix collects every edge that carries the stream: if only one were left, it would wait for the others. */
function report(
  context: CheckContext,
  { from, fromPort }: EdgeLabel,
  { id }: NodeView,
  { late, incoming }: { late: EdgeLabel; incoming: Incoming },
): void {
  const carrying = incoming.filter(({ trail }) => trail.carries.size > 0).map(({ edge }) => edge);
  context.report({
    code: 'stream-deadlock',
    severity: 'warning',
    message: `\`${id}\` reads ${late.from}.${late.fromPort} only after others have read ${from}.${fromPort} to its end, so all items must be buffered meanwhile, and a long stream fails; collect it before \`${id}\`.`,
    node: id,
    path: ['inputs', late.toPort],
    nodes: [...new Set([from, late.from, id])],
    fix: {
      kind: 'insert-collect',
      title: 'Collect the stream first',
      edges: carrying.map((edge) => ({
        from: `${edge.from}.${edge.fromPort}`,
        to: `${edge.to}.${edge.toPort}`,
      })),
    },
  });
}
